"""Stories: whole jobs as tests of workflows, told in JSON and run with real signatures."""

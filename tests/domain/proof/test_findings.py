from __future__ import annotations

import pytest
from pydantic import ValidationError

from sealwork.domain.proof.findings import Finding, FindingCode


@pytest.mark.parametrize("code", FindingCode)
def test_the_text_of_a_code_is_its_name_in_small_letters(code: FindingCode) -> None:
    assert code.value == code.name.lower()


def test_a_finding_says_what_is_wrong_and_where() -> None:
    finding = Finding(code=FindingCode.LINK_BROKEN, tenant="acme", stream="process/p-1", seq=3, detail="why")

    assert finding.model_dump(mode="json") == {
        "code": "link_broken",
        "tenant": "acme",
        "stream": "process/p-1",
        "seq": 3,
        "detail": "why",
    }


def test_a_finding_without_a_position_is_none() -> None:
    with pytest.raises(ValidationError):
        Finding.model_validate({"code": "link_broken", "tenant": "acme", "stream": "process/p-1", "detail": ""})

SELECT body FROM sealwork.documents WHERE tenant_id = %s AND sha256 = decode(%s, 'hex')

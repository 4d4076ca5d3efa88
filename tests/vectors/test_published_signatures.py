"""Published vectors of Ed25519: which signatures we make, which we take, and which keys we admit.

Source: RFC 8032; pyca/pynacl; C2SP/wycheproof; novifinancial/ed25519-speccheck; C2SP/CCTV.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from sealwork.adapters.signing import Ed25519Verifier, SecretKey
from sealwork.domain.ids import actor_id
from vectors.published import json_of, path_of

VERIFIER = Ed25519Verifier()


class Signed(NamedTuple):
    """One line of the vectors of the reference implementation."""

    seed: bytes
    public: bytes
    message: bytes
    signature: bytes


def rfc_8032() -> list[Signed]:
    """The vectors of RFC 8032, 7.1, and the reference implementation's that PyNaCl carries on."""
    lines = path_of("pynacl/sign_input_subset.txt").read_text().splitlines()
    fields = [[bytes.fromhex(field) for field in line.split(":")[:4]] for line in lines]
    of_file = [Signed(key[:32], public, message, signed[:64]) for key, public, message, signed in fields]
    case = json_of("rfc8032.json")["sha_abc"]
    of_rfc = Signed(*(bytes.fromhex(case[name]) for name in ("seed", "public", "message", "signature")))
    return [*of_file, of_rfc]


def verifies(public: str, message: str | bytes, signature: str) -> bool:
    body = bytes.fromhex(message) if isinstance(message, str) else message
    return VERIFIER.verify(actor_id(bytes.fromhex(public)), body, bytes.fromhex(signature))


def test_the_vectors_of_rfc_8032_are_there() -> None:
    assert len(rfc_8032()) == 130


def test_a_seed_gives_the_public_key_of_the_vectors() -> None:
    assert [SecretKey(case.seed).actor for case in rfc_8032()] == [actor_id(case.public) for case in rfc_8032()]


def test_a_signature_is_the_one_of_the_vectors() -> None:
    assert [SecretKey(case.seed).sign(case.message) for case in rfc_8032()] == [
        case.signature for case in rfc_8032()
    ]


def test_the_signatures_of_the_vectors_verify() -> None:
    assert all(VERIFIER.verify(actor_id(case.public), case.message, case.signature) for case in rfc_8032())


def test_the_keys_of_the_vectors_may_be_admitted() -> None:
    assert all(VERIFIER.admissible(actor_id(case.public)) for case in rfc_8032())


def test_a_signature_of_the_vectors_is_none_over_a_longer_message() -> None:
    assert not any(
        VERIFIER.verify(actor_id(case.public), case.message + b"x", case.signature) for case in rfc_8032()
    )


def test_wycheproof_is_answered_as_it_asks() -> None:
    vectors = json_of("wycheproof/testvectors_v1/ed25519_test.json")
    cases = [
        (test["tcId"], test["result"] == "valid", verifies(group["publicKey"]["pk"], test["msg"], test["sig"]))
        for group in vectors["testGroups"]
        for test in group["tests"]
    ]

    assert (len(cases), sum(valid for _, valid, _ in cases)) == (151, 88)
    assert [case for case, valid, answer in cases if valid != answer] == []


def test_the_rule_set_is_that_of_libsodium() -> None:
    # "Taming the many EdDSAs", table 5: the row of LibSodium
    cases = json_of("speccheck/cases.json")

    answers = [verifies(case["pub_key"], case["message"], case["signature"]) for case in cases]

    assert "".join("V" if answer else "X" for answer in answers) == "XXXVXXXXXXXX"


def cctv() -> list[tuple[str, bytes, str, frozenset[str]]]:
    cases = json_of("cctv/ed25519/ed25519vectors.json")
    return [(case["key"], case["msg"].encode(), case["sig"], frozenset(case["flags"] or ())) for case in cases]


def test_of_914_crafted_signatures_43_verify() -> None:
    cases = cctv()

    taken = [(key, flags) for key, message, signature, flags in cases if verifies(key, message, signature)]

    assert (len(cases), len(taken)) == (914, 43)
    assert sum(not flags for _, flags in taken) == 1
    assert not any(
        flags & {"low_order_A", "non_canonical_A", "low_order_R", "non_canonical_R"} for _, flags in taken
    )


def test_of_22_crafted_keys_one_may_be_admitted() -> None:
    keys = {key for key, *_ in cctv()}

    admitted = {key for key in keys if VERIFIER.admissible(actor_id(bytes.fromhex(key)))}

    assert (len(keys), len(admitted)) == (22, 1)


def test_under_an_admitted_key_exactly_the_clean_signature_verifies() -> None:
    taken = [
        flags
        for key, message, signature, flags in cctv()
        if VERIFIER.admissible(actor_id(bytes.fromhex(key))) and verifies(key, message, signature)
    ]

    assert taken == [frozenset()]


P = 2**255 - 19
OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"
)
SMALL_ORDER = [sign + y for y in (0, 1, P - 1, P, P + 1, OF_ORDER_8, P - OF_ORDER_8) for sign in (0, 2**255)]
"""Every encoding of a point of small order, with either sign: 14 (ledger case 9), not only the zeros."""


def test_these_are_the_keys_of_small_order_that_others_know() -> None:
    known = {key for key, _, _, flags in cctv() if "low_order_A" in flags}

    assert {encoding.to_bytes(32, "little").hex() for encoding in SMALL_ORDER} == known


@pytest.mark.parametrize("encoding", SMALL_ORDER)
def test_a_key_of_small_order_is_not_admitted_and_verifies_nothing(encoding: int) -> None:
    actor = actor_id(encoding.to_bytes(32, "little"))

    assert not VERIFIER.admissible(actor)
    assert not VERIFIER.verify(actor, b"message", b"\x01" + bytes(63))


L = 2**252 + 27742317777372353535851937790883648493


@pytest.mark.parametrize("times", [1, 2, 4, 8])
def test_a_signature_with_a_second_spelling_is_none(times: int) -> None:
    # ledger case 10: S + nL is the same scalar
    key = SecretKey(bytes(32))
    signature = key.sign(b"message")
    scalar = int.from_bytes(signature[32:], "little") + times * L

    assert not VERIFIER.verify(key.actor, b"message", signature[:32] + scalar.to_bytes(32, "little"))

"""Off-device: notes about delegates that compile for a device that is not there."""

from __future__ import annotations

from dataclasses import replace

from ...lifetimes.session import Session, versions_of
from ...records.notices import Notices
from ...records.records import PartitionRecord


def say_off_device(session: Session, notices: Notices) -> None:
    """Warns that subgraphs of off-device delegates cannot run here.

    Raises:
        DelegateBuildError: a delegate cannot name the device that it compiles for.
    """
    for name, version in _versions(session).items():
        notices.warn(
            f"Delegate '{name}' compiles off-device, for {version}: its subgraphs cannot run here; export it, and "
            f"import it where the device is. {session.off_device[name]}"
        )


def with_off_device(record: PartitionRecord, session: Session) -> PartitionRecord:
    """The record with the devices that off-device delegates compile for.

    Raises:
        DelegateBuildError: one cannot say that.
    """
    versions = _versions(session)
    delegates = tuple(replace(each, off_device=versions.get(each.name, "")) for each in record.delegates)
    return replace(record, delegates=delegates)


def _versions(session: Session) -> dict[str, str]:
    return versions_of([each for each in session.delegates if each.name in session.off_device])

"""The installed command: what can be interrupted from its first line on."""

import signal


def main() -> None:
    """Run ``lite-delegate``. Ctrl-C while it is still being imported ends it as it ends any program, without a word.

    An exception would go through modules that are half imported, other packages' too, and end in a traceback.
    """
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup's is not
    if is_heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from lite_delegate.cli import main as command

    if is_heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()

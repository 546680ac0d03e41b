"""The one error a user meets: what is wrong, where, and what to do about it."""


class ForensicsError(Exception):
    """A condition the user can act on. The command line prints it as one line and exits with 2.

    ``what`` names the fault, ``where`` the file (and line), ``fix`` the remedy.
    """

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(what)

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        return f"{line}. {self.fix}" if self.fix else line

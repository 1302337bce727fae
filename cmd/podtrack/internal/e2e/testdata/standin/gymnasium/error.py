class Error(Exception):
    pass


class UnregisteredEnv(Error):
    pass


class NamespaceNotFound(UnregisteredEnv):
    pass


class NameNotFound(UnregisteredEnv):
    pass


class VersionNotFound(UnregisteredEnv):
    pass


class DeprecatedEnv(Error):
    pass


class ResetNeeded(Error):
    pass

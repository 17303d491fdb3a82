class NativeCalls:
    pass

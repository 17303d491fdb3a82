"""How programs make objects of the classes that are restored: by name, a function of the class that
gives two that are alike and one that is another."""

import numpy as np


def thrice(one, other):
    return lambda cls: (one(cls), one(cls), other(cls))


def message(**fields):
    """Of one of XLA's messages, which get their fields after they are made."""

    def make(cls):
        found = cls()
        for name, value in fields.items():
            setattr(found, name, value)
        return found

    return thrice(make, lambda cls: cls())


def by_fields(one, other):
    return thrice(lambda cls: cls(*one), lambda cls: cls(*other))


F32 = np.dtype("float32")

MADE = {
    "ConcreteArray": by_fields((F32, np.ones(2, F32)), (F32, np.zeros(2, F32))),
    "UnshapedArray": by_fields((F32,), (np.dtype("int32"),)),
    "ShapedArray": by_fields(((2,), F32), ((3,), F32)),
    "NamedShape": thrice(lambda cls: cls(2, i=3), lambda cls: cls(2, i=4)),
    "JaxprDebugInfo": by_fields(("jit", "f", ("x",), ("",)), ("jit", "g", ("x",), ("",))),
    "InDBIdx": by_fields((1,), (2,)),
    "OutDBIdx": by_fields((1,), (2,)),
    "KeyArray": by_fields((), ()),
    "PRNGKeyArray": by_fields((), ()),
    "AxisEnv": by_fields((1, ("i",), (1,)), (2, ("i",), (2,))),
    "ReplicaAxisContext": by_fields(("x",), ("y",)),
    "Sublevel": by_fields((1,), (2,)),
    "OpMetadata": thrice(lambda cls: cls(op_name="a"), lambda cls: cls(op_name="b")),
    "PaddingConfig": message(dimensions=[]),
    "PaddingConfigDimension": message(edge_padding_low=1),
    "DotDimensionNumbers": message(lhs_batch_dimensions=[1]),
    "ConvolutionDimensionNumbers": message(input_batch_dimension=1),
    "ScatterDimensionNumbers": message(index_vector_dim=1),
    "ReplicaGroup": message(replica_ids=[1]),
    "PrecisionConfig": message(),
    "PaddingType": thrice(lambda cls: cls.VALID, lambda cls: cls.SAME),
    "PrecisionConfig_Precision": thrice(lambda cls: cls.DEFAULT, lambda cls: cls.HIGHEST),
    "ShapeIndex": by_fields(([1, 2],), ([1],)),
    "CallbackException": by_fields(("a",), ("b",)),
    "CustomJVPException": by_fields((), ()),
    "WeakRefList": by_fields(([],), ([],)),
    "ShapeDtypeStruct": by_fields(((2,), F32), ((3,), F32)),
    "PartitionSpec": by_fields(("i",), ("j",)),
    "P": by_fields(("i",), ("j",)),
    "Primitive": by_fields(("callbridge_one",), ("callbridge_other",)),
    "AttributeKeyPathEntry": by_fields(("a",), ("b",)),
    "XlaBuilder": by_fields(("a",), ("b",)),
    "Effect": by_fields((), ()),
    "JaxprPpSettings": by_fields((), ()),
    "JaxprPpContext": by_fields((), ()),
}

"""Serialized xla::ShapeProto messages, random and damaged, without any protobuf."""

import random

# Those that TensorFlow 2.13.1 prints by the names that they have today, and one that nobody has.
NAMED_TYPES = [*range(23), 99]
NAMED_LEVELS = [0, 1, 2, 99]


def varint(value):
    value &= 2**64 - 1
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes([*data, value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def numbers(field, values):
    return data(field, b"".join(map(varint, values))) if values else b""


def some(rng, most=5):
    # Sizes whose varints have one to ten bytes, negative ones among them.
    return [rng.getrandbits(rng.randrange(1, 65)) for _ in range(rng.randrange(most))]


def layout(rng, depth):
    fields = [
        numbers(1, some(rng)),
        *(data(6, numbers(1, some(rng))) for _ in range(rng.randrange(3))),
        number(8, rng.getrandbits(40)),
        numbers(9, [rng.choice(NAMED_LEVELS) for _ in range(rng.randrange(4))]),
        number(11, rng.choice(NAMED_TYPES)),
        number(12, rng.choice(NAMED_TYPES)),
        numbers(13, [rng.randrange(2) for _ in range(rng.randrange(4))]),
        numbers(14, [rng.randrange(2) for _ in range(rng.randrange(4))]),
        number(15, rng.getrandbits(64)),
        number(7, 4),  # element_size_in_bits, which TensorFlow 2.13.1 does not know
        data(17, numbers(2, some(rng))),  # split_configs, nor this
    ]
    if depth:
        fields.append(data(10, shape(rng, depth - 1)))
    return b"".join(rng.sample(fields, rng.randrange(len(fields) + 1)))


def shape(rng, depth=3):
    fields = [
        number(2, rng.choice(NAMED_TYPES)),
        numbers(3, some(rng, 9)),
        data(5, layout(rng, depth)),
        numbers(6, [rng.randrange(2) for _ in range(rng.randrange(5))]),
    ]
    if depth:
        fields += [data(4, shape(rng, depth - 1)) for _ in range(rng.randrange(4))]
    return b"".join(rng.sample(fields, rng.randrange(len(fields) + 1)))


def damaged(rng, message):
    if not message:
        return b"\x1a\x7f"
    if rng.random() < 0.5:
        return message[: rng.randrange(len(message))]
    message = bytearray(message)
    for _ in range(rng.randrange(1, 4)):
        message[rng.randrange(len(message))] = rng.randrange(256)
    return bytes(message)


def messages(seed, count):
    """`count` messages, a third of them damaged, and an empty one and one too deep for protobuf."""
    rng = random.Random(seed)
    all_of_them = [shape(rng) for _ in range(count)]
    deep = b""
    for _ in range(150):
        deep = data(4, deep)
    return [damaged(rng, m) if i % 3 == 0 else m for i, m in enumerate(all_of_them)] + [b"", deep]

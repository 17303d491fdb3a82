"""What doxygen_texts.py finds in Doxygen's XML."""

from xml.sax.saxutils import escape

import doxygen_texts

TEXT = "<briefdescription><para>Says all.</para></briefdescription>"


def member(name, text="", parameters="", kind="function", access="public", values=""):
    return (
        f'<memberdef kind="{kind}" prot="{access}"><name>{escape(name)}</name>'
        f"<argsstring>{escape(parameters)}</argsstring>{text}<detaileddescription/>{values}"
        '<location file="a.h"/></memberdef>'
    )


def value(name, text=""):
    return f"<enumvalue><name>{name}</name>{text}</enumvalue>"


def compound(folder, kind, name, inner, *members, text=""):
    (folder / f"{name}.xml").write_text(
        f'<doxygen><compounddef kind="{kind}"><compoundname>{name}</compoundname>{inner}'
        f"<sectiondef>{''.join(members)}</sectiondef>{text}"
        '<location file="a.h"/></compounddef></doxygen>'
    )


def found(folder, *members, text=TEXT):
    """What is found in a header that declares class A with those members."""
    (folder / "index.xml").write_text(
        '<doxygenindex><compound refid="a_h" kind="group"><name>a_h</name></compound>'
        '<compound refid="b_h" kind="group"><name>b_h</name></compound></doxygenindex>'
    )
    compound(folder, "group", "a_h", '<innerclass refid="A" prot="public"/>')
    compound(folder, "group", "b_h", "", member("of_no_page"))
    compound(folder, "class", "A", "", *members, text=text)
    _, lines = doxygen_texts.without_text(folder, ["a_h"])
    return [line.removeprefix("a.h: ").removesuffix(" has no comment") for line in lines]


def test_members_with_a_text(tmp_path):
    members = [member("f", TEXT), member("x", TEXT, kind="variable")]
    assert found(tmp_path, *members) == []
    assert doxygen_texts.without_text(tmp_path, ["a_h"]) == (2, [])


def test_members_without_a_text(tmp_path):
    members = [
        member("f", parameters="(int i)"),
        member("A", parameters="(int i)"),
        member("A", parameters="(A a, const B &b)"),
        member("operator=", parameters="(int i)"),
        member("x", kind="variable"),
        member("hidden", access="private"),
    ]
    assert found(tmp_path, *members, text="") == [
        "A",
        "A::A(A a, const B &b)",
        "A::A(int i)",
        "A::f(int i)",
        "A::operator=(int i)",
        "A::x",
    ]


def test_members_that_need_none(tmp_path):
    members = [
        member("~A", parameters="()"),
        member("A", parameters="()=default"),
        member("A", parameters="(const A &)=delete"),
        member("A", parameters="(A &&other) noexcept"),
        member("operator=", parameters="(const A &other)"),
        member("struct_size", kind="variable"),
        member("@8", kind="variable"),
        member("operator<<", kind="friend"),
    ]
    assert found(tmp_path, *members) == []


def test_enumerators_have_all_a_text_or_none(tmp_path):
    none = member("E", TEXT, kind="enum", values=value("a") + value("b"))
    assert found(tmp_path, none) == []
    some = member("E", TEXT, kind="enum", values=value("a", TEXT) + value("b"))
    assert found(tmp_path, some) == ["b"]
    assert found(tmp_path, member("E", kind="enum", values=value("a"))) == ["A::E"]

"""What site_check.py finds in a site."""

import site_check

PAGE = """<h1 id="top">A</h1><a href="b.html">b</a> <a href="b.html#here">here</a>
<a href="#top">top</a> <a href="https://example.org/x">out</a> <a href="b%20c.txt">c</a>"""


def made(folder, text):
    (folder / "a.html").write_text(text)
    (folder / "b.html").write_text('<p id="here">b</p>')
    (folder / "b c.txt").write_text("c")
    return site_check.read(folder)


def test_links_that_lead_somewhere(tmp_path):
    assert list(site_check.dead_links(made(tmp_path, PAGE), tmp_path)) == []


def test_links_that_lead_nowhere(tmp_path):
    text = PAGE + '<a href="gone.html">1</a><img src="x.svg"><a href="b.html#gone">2</a>'
    text += '<a href="../outside.txt">3</a><a href="#gone">4</a>'
    (tmp_path / "outside.txt").write_text("")
    (tmp_path / "site").mkdir()
    folder = tmp_path / "site"
    assert list(site_check.dead_links(made(folder, text), folder)) == [
        "a.html: gone.html: no such file",
        "a.html: x.svg: no such file",
        "a.html: b.html#gone: no such place in that page",
        "a.html: ../outside.txt: no such file",
        "a.html: #gone: no such place in that page",
    ]


def test_names_that_no_page_has(tmp_path):
    pages = made(tmp_path, '<dt id="c.callbridge_version"></dt><dt id="callbridge.jax.load"></dt>')
    missing = list(site_check.missing_names(pages))
    assert "the C reference has no callbridge_call_bind" in missing
    assert "the Python reference has no callbridge.numpy.load" in missing
    assert not any(line.endswith((" callbridge_version", ".jax.load")) for line in missing)

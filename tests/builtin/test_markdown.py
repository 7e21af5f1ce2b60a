import pytest
from selectolax.lexbor import LexborHTMLParser

from swather.builtin.pages.markdown import markdown_of

BASE = "http://h/docs/page.html"


def markdown(html: str) -> str:
    return markdown_of(LexborHTMLParser(html), BASE)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>One</h1><h3>Three <em>x</em></h3>", "# One\n\n### Three *x*"),
        ("<p>a\n  b</p>c<p>d", "a b\n\nc\n\nd"),
        ("a<br>b", "a  \nb"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("<b> bold </b>and <i>italic</i>", "**bold** and *italic*"),
        ("<a href='../up.html#x'>up</a>", "[up](http://h/up.html)"),
        ("<a href='a_(b)'>x</a>", "[x](http://h/docs/a_%28b%29)"),
        ("<a href='#x'>here</a> <a>none</a> <a href='mailto:a@b'>mail</a>", "here none mail"),
        ("<a href=c><h2>Card</h2><p>body</p></a>",
         "## [Card](http://h/docs/c)\n\n[body](http://h/docs/c)"),
        ("<img alt='A cat' src=cat.png><img src=x.png>", "![A cat](http://h/docs/cat.png)"),
        ("<a href=x><img alt=Logo src=l.png></a>",
         "[![Logo](http://h/docs/l.png)](http://h/docs/x)"),
        ("<code>a_b*c</code> <code>`</code>", "`a_b*c` `` ` ``"),
        ("<code>a<b>b</b></code>", "`ab`"),
        ("<pre><code class='x language-python'>\nif a:\n    b\n</code></pre>",
         "```python\nif a:\n    b\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("<blockquote>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ol start=9><li>a<li>b<p>c</ol>", "9. a\n10. b\n\n    c"),
        ("<dl><dt>a<dd>b</dl>", "a\n\nb"),
    ],
)  # fmt: skip
def test_an_element_has_its_markdown(html, text):
    assert markdown(html) == text


def test_a_table_of_lines_is_a_table():
    html = "<table><tr><th>a<th>b|c<tr><td>1<td><b>2</b><tr><td colspan=2>3</table>"
    assert markdown(html) == "| a | b\\|c |\n| --- | --- |\n| 1 | **2** |\n| 3 |  |"


def test_the_head_of_a_table_is_as_wide_as_the_widest_row():
    html = "<table><tr><th>a<tr><td>1<td>2<td>3<tr><td>4</table>"
    assert markdown(html) == "| a |  |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 |"


@pytest.mark.parametrize("cell", ["<td>x", "<td colspan=100>x", "<td colspan=999999999>x"])
def test_a_table_does_not_grow_to_many_times_its_page(cell):
    html = "<table><tr>" + cell * 500 + "<tr><td>a" * 500 + "</table>"
    assert len(markdown(html)) < 2 * len(html)


def test_a_cell_fills_a_hundred_columns_at_most():
    html = "<table><tr><td colspan=99>a<td colspan=99>b<td colspan=99>c</table>"
    head, rule = markdown(html).splitlines()
    assert head == "| a |" + "  |" * 98 + " b | c |"
    assert rule.count("---") == 101


def test_a_table_that_lays_out_a_page_is_what_it_holds():
    html = "<table><tr><td><h1>a</h1><p>b</p></td><td><ul><li>c</ul></td></tr></table>"
    assert markdown(html) == "# a\n\nb\n\n- c"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("2 * 3 * 4", "2 \\* 3 \\* 4"),
        ("snake_case _private_", "snake_case \\_private\\_"),
        ("[x](y) `z`", "\\[x\\](y) \\`z\\`"),
        ("a &lt;b&gt; c", "a \\<b> c"),
        ("# no heading", "\\# no heading"),
        ("- no list", "\\- no list"),
        ("1. no list", "1\\. no list"),
        ("&gt; no quotation", "\\> no quotation"),
        ("a<br>+ b", "a  \n\\+ b"),
        ("-5 and 1.5", "-5 and 1.5"),
    ],
)
def test_text_that_looks_like_markdown_is_escaped(html, text):
    assert markdown(f"<p>{html}</p>") == text


def test_what_nobody_sees_is_left_out():
    html = "<style>a</style><script>b</script><p hidden>c<b>d</b></p><svg><text>e</text></svg>"
    html += "<template>f</template><!-- g --><noscript>h</noscript><textarea>i</textarea>j"
    assert markdown(html) == "j"


@pytest.mark.parametrize("html", ["", "<html></html>", "<frameset><frame src=x></frameset>"])
def test_a_page_without_text_is_empty(html):
    assert markdown(html) == ""


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "a href=x"])
def test_a_page_may_be_nested_as_deep_as_it_likes(tag):
    text = markdown(f"<{tag}>" * 2000 + "inside")
    assert "inside" in text
    assert len(text) < 20_000


def test_a_page_does_not_grow_to_many_times_its_size_by_a_long_base():
    base = "http://h/" + "a" * 30_000 + "/"
    html = "".join(f"<a href={number}>x</a>" for number in range(500))
    assert len(markdown_of(LexborHTMLParser(html), base)) < len(html)


def test_a_nul_is_no_nul_any_more():
    assert "\0" not in markdown("<p>a\0b</p><pre>c\0d</pre>")

/** How Web.ReadPage converts HTML: one page, its title, its content as markdown and as text. */
import { expect, it } from "vitest";
import { callTool } from "#test";

async function read(html: string, format?: "markdown" | "text") {
  const fetch = () => new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  const input = { url: "https://example.com/dir/page.html", ...(format && { format }) };
  return (await callTool("Web.ReadPage", input, { fetch })).value;
}

const markdown = async (html: string) => (await read(html)).content;
const text = async (html: string) => (await read(html, "text")).content;

const PAGE = `<!doctype html><html><head><title> My   page
 &mdash; site </title><style>p { color: red }</style><script>var a = "<p>no</p>";</script></head>
<body><header><a href="/">Logo</a></header><nav><ul><li><a href="/a">Menu</a></ul></nav>
<main><h1>Heading <em>one</em></h1>
<p>First   paragraph with a <a href="../other?a=1&amp;b=2">link to it </a>and <code>code()</code>.<br>Next line.</p>
<h2>List</h2><ul><li>one<li>two<ol><li>inner<li>more</ol><li>three</ul>
<blockquote><p>Quoted.</p><p>Twice.</p></blockquote>
<pre><code class="hljs language-ts">
const a = 1 &lt; 2;
  indented();
</code></pre>
<table><tr><th>Name<th>Size<tr><td>a|b<td>1<tr><td>c<td>2</table>
<p><img src="cat.png" alt="A cat"><img src="x.png" alt=""></p>
<form><label>Search</label><input></form><noscript>Enable it</noscript><svg><title>icon</title><text>no</text></svg>
</main><aside>Ads</aside><footer>Imprint</footer></body></html>`;

it("reads a page as markdown", async () => {
  expect(await read(PAGE)).toMatchObject({
    title: "My page — site",
    content: `# Heading one

First paragraph with a [link to it](https://example.com/other?a=1&b=2) and \`code()\`.
Next line.

## List

- one
- two
  1. inner
  2. more
- three

> Quoted.

> Twice.

\`\`\`ts
const a = 1 < 2;
  indented();
\`\`\`

Name | Size
a|b | 1
c | 2

![A cat](https://example.com/dir/cat.png)`,
  });
});

it("reads a page as text", async () => {
  expect(await text(PAGE)).toBe(`Heading one

First paragraph with a link to it and code().
Next line.

List

- one
- two
  1. inner
  2. more
- three

Quoted.

Twice.

const a = 1 < 2;
  indented();

Name | Size
a|b | 1
c | 2

A cat`);
});

it.each(["script", "style", "nav", "footer", "aside", "noscript", "svg", "template", "iframe", "button", "select"])(
  "drops <%s>, and reads on after it",
  async (name) => {
    expect(await markdown(`<p>before</p><${name}>dropped</${name}><p>after</p>`)).toBe("before\n\nafter");
  },
);

it("reads on after an element that is dropped and never closed ends with what is around it", async () => {
  expect(await markdown("<div><nav>menu</div><p>after</p>")).toBe("after");
});

it.each([
  ["main before all else", "<p>out</p><article>a</article><main><p>in</p><article>too</article></main>", "in\n\ntoo"],
  ["role=main", "<div>out</div><div role=main>in</div>", "in"],
  ["articles", "<p>out</p><article>one</article><article>two</article>", "one\n\ntwo"],
  ["all of it where nothing says so", "<div>one</div><div>two</div>", "one\n\ntwo"],
  ["the words of a form, and not its controls", "<p>a</p><form>b<label>c</label><button>d</button></form>", "a\n\nb"],
  [
    "a form that is the page",
    "<a href=#c>Skip</a><form><p>The page, in a form, as some do.</p></form>",
    "Skip\n\nThe page, in a form, as some do.",
  ],
  ["no empty main", "<main></main><p>out</p>", "out"],
])("takes %s", async (_, html, content) => {
  expect(await markdown(html)).toBe(content);
});

it.each([
  ["named", "&lt;&amp;&gt; &quot;&apos;&copy;&hellip;&nbsp;&euro;&ndash;&times;", "<&> \"'©… €–×"],
  ["numbered", "&#233;&#x1F600;&#8364;", "é😀€"],
  ["of windows-1252 (HTML, numeric character references)", "&#146;&#x80;", "’€"],
  ["that stand for nothing", "&#0;&#xD800;&#x110000;", "\ufffd\ufffd\ufffd"],
  ["that are none", "AT&T &nosuch; &constructor; a && b &", "AT&T &nosuch; &constructor; a && b &"],
  ["only once", "&amp;lt;", "&lt;"],
])("decodes character references %s", async (_, html, content) => {
  expect(await markdown(`<p>${html}</p>`)).toBe(content);
});

it.each([
  ['<a href="https://other.example/x">y</a>', "[y](https://other.example/x)"],
  ['<a href="//cdn.example/x">y</a>', "[y](https://cdn.example/x)"],
  ['<a href="mailto:a@b.example">y</a>', "[y](mailto:a@b.example)"],
  ['<a href="/wiki/A_(b)">y</a>', "[y](https://example.com/wiki/A_%28b%29)"],
  ['<a href="#part">y</a>', "y"],
  ['<a href="javascript:alert(1)">y</a>', "y"],
  ['<a href="java&#115;cript:alert(1)">y</a>', "y"],
  ["<a name=top>y</a>", "y"],
  ['<a href="/x"></a>y', "y"],
  ['<a href="/x"><img src="i.png" alt="Icon"></a>', "[![Icon](https://example.com/dir/i.png)](https://example.com/x)"],
  ['a<a href="/x"> <code>y</code> </a>b', "a [`y`](https://example.com/x) b"],
  ['<img src="data:image/png;base64,AAAA" alt="Dot">', "Dot"],
  ['<a href="/x"><h3>Card</h3><p>Text</p></a>', "### [Card](https://example.com/x)\n\n[Text](https://example.com/x)"],
  ['<base href="/b/"><a href="x">y</a>', "[y](https://example.com/b/x)"],
  ['<base href="https://base.example/b/"><a href="x">y</a>', "[y](https://base.example/b/x)"],
])("link or image %s", async (html, content) => {
  expect(await markdown(html)).toBe(content);
});

it("leaves white space in <pre> alone, and fences it safely", async () => {
  expect(await markdown("<pre>\n a\n\n\tb ``` c\n</pre>")).toBe("````\n a\n\n\tb ``` c\n````");
});

it("takes a table of one column for the layout that it is", async () => {
  const html = "<table><tr><td><h2>Title</h2><p>Text</p></td></tr><tr><td>More</td></tr></table>";
  expect(await markdown(html)).toBe("## Title\n\nText\n\nMore");
});

it.each([
  ["<tr><td></td><td>b</td></tr><tr><td></td><td></td></tr>", "| b"],
  ["<tr><td><p>a</p></td><td><p>b</p><p>c</p></td></tr>", "a\n\nb\n\nc"],
])("takes no empty row, and no blocks for a row of words: %s", async (rows, content) => {
  expect(await markdown(`<table>${rows}</table>`)).toBe(content);
});

it("reads tables within tables row by row", async () => {
  const html =
    "<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td></tr><tr><td>c</td><td>d</td></tr></table>";
  const content = await markdown(html);
  expect(content).toBe("a | b\nc | d");
});

it("indents what belongs to an item of a list", async () => {
  expect(await markdown("<ol><li><p>one</p><p>still one</p><pre>x\ny</pre></li><li>two</li></ol>")).toBe(
    "1. one\n   still one\n   ```\n   x\n   y\n   ```\n2. two",
  );
});

it.each(["", "<", "<p", "<!--", "<script>", "<title>", "</p></p>", "<table><td><tr></table><li>", "\u0000"])(
  "survives %j",
  async (html) => {
    const { title, content } = await read(html);
    expect(typeof title).toBe("string");
    expect(typeof content).toBe("string");
  },
);

it("is not slowed down by a page that closes nothing", async () => {
  expect(await markdown("<a href=x><code>y<p>".repeat(1_000))).toContain("y");
});

it("survives elements nested a thousand deep", async () => {
  expect(await markdown(`${"<div>".repeat(1_000)}deep${"</div>".repeat(1_000)}`)).toBe("deep");
});

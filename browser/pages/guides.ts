// The guides can be read without this script. It adds buttons that copy code, and finds words in titles and headings.

import { startGuideFilter } from '../guides/filter.ts'
import { addCopyButtons } from '../lib/copy.ts'

/** From this width on, the contents stand beside the text (styles/guides.css). */
const WIDE = '(width >= 64rem)'

addCopyButtons()
startGuideFilter()

const contents = document.querySelector<HTMLDetailsElement>('.guide-contents details')
if (contents) contents.open = matchMedia(WIDE).matches

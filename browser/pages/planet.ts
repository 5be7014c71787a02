// The page about a planet works without this script, but shows the code in all languages and formats. The script shows
// one language and one format at a time, and adds buttons that copy the code.

import { addCopyButtons } from '../lib/copy.ts'
import { enhanceTabs } from '../lib/tabs.ts'

enhanceTabs()
addCopyButtons()

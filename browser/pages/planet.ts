// The page about a planet works without this. It shows one language and one format at a time, and copies code.

import { addCopyButtons } from '../lib/copy.ts'
import { enhanceTabs } from '../lib/tabs.ts'

enhanceTabs()
addCopyButtons()

// The pages of the laboratory can be read without this script. It makes the bench work, and turns sections into tabs.

import { startBench } from '../lab/bench.tsx'
import { startFilter } from '../lab/filter.ts'
import { addCopyButtons } from '../lib/copy.ts'
import { enhanceTabs } from '../lib/tabs.ts'

enhanceTabs()
addCopyButtons()
startBench()
startFilter()

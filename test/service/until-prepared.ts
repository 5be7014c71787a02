import { inject } from 'vitest'
import { untilPrepared } from './preparation.ts'

// This runs before each test file of the project `service`, because those files use what set-up.ts prepares.

await untilPrepared(inject('preparation'))

import { inject } from 'vitest'
import { untilPrepared } from './preparation.ts'

// This runs before each test file on Node.

await untilPrepared(inject('preparation'))

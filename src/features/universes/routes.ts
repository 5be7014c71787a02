import type { Route } from '../../http/pipeline/route.ts'
import { createUniverse } from './create-universe.ts'
import { createDefectiveToken } from './defective-token.ts'
import { ownUniverseRoutes } from './own-universe.ts'

export const universeRoutes: readonly Route[] = [createUniverse, ...ownUniverseRoutes, createDefectiveToken]

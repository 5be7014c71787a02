import type { Check } from '../check.ts'
import { meChecks, signUpChecks, userFieldChecks } from './accounts.ts'
import { authenticationChecks } from './authentication.ts'
import { callbackChecks } from './callbacks.ts'
import { celestialBodyChecks } from './celestial-bodies.ts'
import { documentChecks } from './documents.ts'
import { errorChecks } from './errors.ts'
import { fieldChecks } from './fields.ts'
import { imageChecks } from './images.ts'
import { liveChecks } from './live.ts'
import { observationChecks } from './observations.ts'
import { planetCopyChecks } from './planet-copying.ts'
import { planetListChecks } from './planet-list.ts'
import { planetPatchChecks } from './planet-patching.ts'
import { planetReadingChecks } from './planet-reading.ts'
import { planetFilterChecks, planetQueryChecks, planetSearchChecks } from './planet-search.ts'
import { planetCreationChecks, planetDeletionChecks, planetReplacementChecks } from './planet-writing.ts'
import { requestChecks } from './requests.ts'
import { credentialsFieldChecks, tokenChecks } from './tokens.ts'
import { universeChecks } from './universes.ts'
import { webhookChecks } from './webhooks.ts'

/** Every row of the interface, in the order in which a run prints them. */
export const CHECKS: readonly Check[] = [
  ...planetListChecks,
  ...planetFilterChecks,
  ...planetSearchChecks,
  ...planetQueryChecks,
  ...planetCreationChecks,
  ...planetReadingChecks,
  ...planetReplacementChecks,
  ...planetPatchChecks,
  ...planetCopyChecks,
  ...planetDeletionChecks,
  ...imageChecks,
  ...observationChecks,
  ...celestialBodyChecks,
  ...signUpChecks,
  ...tokenChecks,
  ...meChecks,
  ...fieldChecks,
  ...userFieldChecks,
  ...credentialsFieldChecks,
  ...authenticationChecks,
  ...callbackChecks,
  ...webhookChecks,
  ...errorChecks,
  ...requestChecks,
  ...documentChecks,
  ...liveChecks,
  ...universeChecks,
]

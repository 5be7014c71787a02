import { defineRoute as define, OPERATION_METHODS as METHODS } from '../../src/http/pipeline/route.ts'

// In the place of http/pipeline/route.ts (read-routes.ts): `defineRoute` also notes the file in which a route is declared.

export const OPERATION_METHODS = METHODS

/** The files by operation, from the root of the project. An operation of several worlds has one. */
export const FILES = new Map<string, string>()

/** The innermost file outside of src/http: what declares routes for others, such as `listOwn`, is in there. */
const DECLARING_FILE = /\/(src\/(?!http\/)[^)]*?\.tsx?):\d+/

export const defineRoute: typeof define = (spec) => {
  const [, file] = DECLARING_FILE.exec(new Error('declared here').stack ?? '') ?? []
  if (file === undefined) throw new Error(`it is not known where ${spec.operationId} is declared`)
  FILES.set(spec.operationId, file)
  return define(spec)
}

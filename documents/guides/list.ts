/**
 * Registry: the guides of the service, in the order in which they are read. Each is a page of docs/ with its name.
 * Every page of docs/ is here or in `NO_GUIDES`.
 */
export const GUIDE_GROUPS = [
  { title: 'Use the API', names: ['interface', 'authentication', 'callbacks', 'live', 'echo', 'http', 'openapi-3.2'] },
  { title: 'Test with it', names: ['universes', 'testing', 'receivers', 'tools', 'lab', 'conformance'] },
  { title: 'Run it', names: ['operating', 'scale'] },
] as const

/** The pages of docs/ that are only for those who work on the service. */
export const NO_GUIDES = ['dependencies', 'performance'] as const

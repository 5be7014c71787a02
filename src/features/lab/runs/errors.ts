import { ProblemError } from '../../../domain/problems.ts'

export function noRun(): ProblemError {
  return new ProblemError(
    'not-found',
    'There is no run with this id. A run ends 7 days after its last record, and 30 days after its creation at most.',
  )
}

export function closedRun(): ProblemError {
  return new ProblemError('conflict', 'This run is closed. It records nothing more, and cannot be changed.')
}

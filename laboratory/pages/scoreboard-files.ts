import { CASE_FILES, type CaseFile, clientFile } from '../files.ts'
import { checkEvidence, failuresOf } from '../scoreboard/failures.ts'
import type { Scoreboard } from '../scoreboard/results.ts'
import { bestFirst, viewClients } from '../scoreboard/view.ts'
import { renderClient } from './client.tsx'
import { renderScoreboard } from './scoreboard.tsx'

/**
 * The files with the page of the scoreboard, and with that of each client.
 *
 * @throws Error if the evidence of a cause is no cell that failed by it
 */
export function renderBoard(scoreboard: Scoreboard): CaseFile[] {
  checkEvidence(failuresOf(scoreboard))
  const clients = bestFirst(viewClients(scoreboard))
  const pages = clients.map((client, place) => ({
    name: clientFile(client.name),
    text: renderClient(client, { previous: clients[place - 1], next: clients[place + 1] }),
  }))
  return [{ name: CASE_FILES.scoreboard, text: renderScoreboard(clients) }, ...pages]
}

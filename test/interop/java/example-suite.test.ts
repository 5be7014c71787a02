import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyExample, expectTwoUniverses, runSuite } from '../../service/example-suite.ts'
import { startMeetingPoint } from '../../service/meeting-point.ts'
import { listCommandLines } from '../../service/processes.ts'
import { makeProject, type Project } from '../../service/project.ts'
import { describeLanguage, serviceUrl } from '../journey.ts'

// The test suite of examples/junit, with the packages that its pom.xml names. Maven fetches them.

const maven = ['mvn', '--batch-mode', 'test']

describeLanguage('java', () => {
  let project: Project

  beforeAll(async () => {
    project = await makeProject()
  })

  afterAll(() => project.remove())

  it('JUnit gives each class a universe, at a service that is there', async () => {
    const meeting = await startMeetingPoint(serviceUrl())
    try {
      expect(await runSuite(maven, await copyExample('junit', project), meeting.url)).toContain(
        'Tests run: 4, Failures: 0',
      )
      expectTwoUniverses(meeting)
    } finally {
      meeting.close()
    }
  })

  it('JUnit starts a service, and ends it after the last test', async () => {
    expect(await runSuite(maven, await copyExample('junit', project))).toContain('Tests run: 4, Failures: 0')
    expect(await listCommandLines(project.folder)).toEqual([])
  })
})

// The parts of Arazzo 1.0.1 and 1.1.0 that the workflows use.

/** A text is a constant, a runtime expression (`$steps.create.outputs.id`), or has some in braces. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'querystring' | 'header'
  value: string | number
}

interface Criterion {
  /** Of the type "simple": `$statusCode == 200`. */
  condition: string
}

interface RetryAction {
  name: string
  type: 'retry'
  /** In seconds. */
  retryAfter: number
  retryLimit: number
}

export interface Step {
  stepId: string
  description: string
  operationId: string
  parameters?: readonly Parameter[]
  requestBody?: { contentType: string; payload: object }
  successCriteria: readonly Criterion[]
  onFailure?: readonly RetryAction[]
  outputs?: Readonly<Record<string, string>>
  /** 1.1: the message flow of a step over AsyncAPI. */
  action?: 'receive'
  /** 1.1: only the message that has this correlation id. */
  correlationId?: string
  /** 1.1: in milliseconds. */
  timeout?: number
  /** 1.1: steps that must have ended. A step that receives runs beside those that follow it. */
  dependsOn?: readonly string[]
}

export interface Workflow {
  workflowId: string
  summary: string
  description: string
  inputs: object
  steps: readonly Step[]
  outputs?: Readonly<Record<string, string>>
}

export interface ArazzoDocument {
  arazzo: '1.0.1' | '1.1.0'
  $self?: string
  info: { title: string; summary: string; description: string; version: string }
  sourceDescriptions: readonly { name: string; url: string; type: 'openapi' | 'asyncapi' }[]
  workflows: readonly Workflow[]
}

import { doc } from '#doc'
import { CAUSED_BY_USER, CAUSED_ON_DEMAND, exampleHead, type LiveEventSpec, MARC } from './spec.ts'
import {
  ApiVersionDeprecatedEvent,
  RateLimitExceededEvent,
  SecurityAlertEvent,
  SystemMaintenanceEvent,
} from './system-events.ts'

/** The facts that the events of this channel share. Only `rate_limit.exceeded` has another audience. */
const IN_CHANNEL = { channel: 'systemEvents', audience: 'anybody', isTriggerableByAnyone: false } as const

/** Registry: the events of the system. */
export const SYSTEM_CHANNEL_EVENTS = {
  'system.maintenance': {
    ...IN_CHANNEL,
    message: 'SystemMaintenance',
    title: 'System maintenance',
    summary: 'Maintenance is planned, in progress or completed.',
    description: doc('Only sent on demand (POST /events).'),
    payload: SystemMaintenanceEvent,
    example: {
      name: 'Scheduled Maintenance',
      summary: 'Maintenance is starting',
      payload: {
        ...exampleHead('system.maintenance', '019bc359-c940-7000-aa54-19000000000d', '2026-01-15T20:30:00.000Z'),
        maintenance: {
          type: 'scheduled',
          status: 'starting',
          duration: 'PT2H',
          description: 'Database optimization and security updates',
          affectedServices: ['api', 'events', 'storage'],
        },
        schedule: { startTime: '2026-01-15T20:30:00Z', endTime: '2026-01-15T22:30:00Z' },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'rate_limit.exceeded': {
    ...IN_CHANNEL,
    audience: 'user',
    message: 'RateLimitExceeded',
    title: 'Rate limit exceeded',
    summary: 'You exceeded a limit.',
    description: doc(
      'Sent if a request with credentials gets 429, once for each limit and window, and only to the user of the request.',
    ),
    payload: RateLimitExceededEvent,
    example: {
      name: 'API Rate Limit Hit',
      summary: 'Marc sent too many requests',
      payload: {
        ...exampleHead('rate_limit.exceeded', '019bc375-4080-7000-91cf-48000000000e', '2026-01-15T21:00:00.000Z'),
        rateLimit: { limit: 1000, window: 'PT60S', exceededBy: 1 },
        user: MARC,
        request: { endpoint: '/planets', method: 'POST' },
        metadata: CAUSED_BY_USER,
      },
    },
  },
  'security.alert': {
    ...IN_CHANNEL,
    message: 'SecurityAlert',
    title: 'Security alert',
    summary: 'Something suspicious was noticed.',
    description: doc('Only sent on demand (POST /events).'),
    payload: SecurityAlertEvent,
    example: {
      name: 'Suspicious Activity',
      summary: 'Many attempts to sign in failed',
      payload: {
        ...exampleHead('security.alert', '019bc390-b7c0-7000-870c-e5000000000f', '2026-01-15T21:30:00.000Z'),
        alert: {
          severity: 'medium',
          type: 'suspicious_login_pattern',
          description: 'Multiple failed login attempts from different IP addresses',
        },
        activity: { attempts: 15, timeWindow: 'PT5M', ipAddresses: ['192.0.2.100', '192.0.2.101', '198.51.100.50'] },
        actions: ['account_temporarily_locked', 'admin_notified'],
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'api.version_deprecated': {
    ...IN_CHANNEL,
    message: 'ApiVersionDeprecated',
    title: 'API version deprecated',
    summary: 'A version of the API is deprecated and will end.',
    description: doc('Only sent on demand (POST /events).'),
    payload: ApiVersionDeprecatedEvent,
    example: {
      name: 'Version Deprecation',
      summary: 'API version 1.0 is deprecated',
      payload: {
        ...exampleHead('api.version_deprecated', '019bc3ac-2f00-7000-bab8-340000000010', '2026-01-15T22:00:00.000Z'),
        deprecation: {
          version: '1.0',
          deprecatedAt: '2026-01-15T22:00:00Z',
          sunsetAt: '2026-07-15T22:00:00Z',
          migrationGuide: 'https://docs.scalar.com/migration/v1-to-v2',
        },
        impact: { affectedEndpoints: ['/planets', '/users'], breakingChanges: true },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
} as const satisfies Record<string, LiveEventSpec>

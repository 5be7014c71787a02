import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, HttpUrl } from '../fields.ts'
import { LiveUser } from './bodies.ts'
import { Duration, headOf, TAIL } from './parts.ts'

// The payloads of the system channel. The service itself sends only `rate_limit.exceeded`. The other events are only
// sent on demand.

const Maintenance = z.object({
  type: z.enum(['scheduled', 'emergency', 'hotfix']),
  status: z.enum(['scheduled', 'starting', 'in_progress', 'completed', 'failed']),
  duration: Duration.meta({ description: doc('How long the maintenance is expected to take') }),
  description: z.string().optional(),
  affectedServices: z.array(z.string()).optional(),
})

const Schedule = z.object({ startTime: DateTime.optional(), endTime: DateTime.optional() })

export const SystemMaintenanceEvent = z
  .object({ ...headOf('system.maintenance'), maintenance: Maintenance, schedule: Schedule.optional(), ...TAIL })
  .meta({ id: 'SystemMaintenanceEvent', description: doc('The maintenance, and its times') })

const ExceededLimit = z.object({
  limit: z.int().meta({ description: doc('The number of requests that are allowed in a window') }),
  window: Duration.meta({ description: doc('The length of the window'), examples: ['PT60S'] }),
  exceededBy: z.int().meta({ description: doc('By how many requests the limit is exceeded') }),
})

const LimitedRequest = z.object({
  endpoint: z
    .string()
    .meta({ description: doc('The path'), examples: ['/planets'] })
    .optional(),
  method: z
    .string()
    .meta({ examples: ['POST'] })
    .optional(),
  ipAddress: z
    .ipv4('must be an IPv4 address')
    .meta({ description: doc('Only in events on demand') })
    .optional(),
})

export const RateLimitExceededEvent = z
  .object({
    ...headOf('rate_limit.exceeded'),
    rateLimit: ExceededLimit,
    user: LiveUser.optional(),
    request: LimitedRequest.optional(),
    ...TAIL,
  })
  .meta({ id: 'RateLimitExceededEvent', description: doc('The limit, and the first request that exceeded it') })

const Alert = z.object({
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  type: z.enum(['suspicious_login_pattern', 'brute_force', 'data_breach', 'malware_detected']),
  description: z.string(),
})

const Activity = z.object({
  attempts: z.int().optional(),
  timeWindow: Duration.optional(),
  ipAddresses: z.array(z.ipv4('must be an IPv4 address')).optional(),
})

export const SecurityAlertEvent = z
  .object({
    ...headOf('security.alert'),
    alert: Alert,
    activity: Activity.optional(),
    actions: z
      .array(z.string())
      .meta({ description: doc('What was done against the attack') })
      .optional(),
    ...TAIL,
  })
  .meta({ id: 'SecurityAlertEvent', description: doc('The alert, and what led to it') })

const Deprecation = z.object({
  version: z.string(),
  deprecatedAt: DateTime,
  sunsetAt: DateTime.meta({ description: doc('When the version ends') }),
  migrationGuide: HttpUrl.optional(),
})

const Impact = z.object({
  affectedEndpoints: z.array(z.string()).optional(),
  breakingChanges: z.boolean().optional(),
})

export const ApiVersionDeprecatedEvent = z
  .object({ ...headOf('api.version_deprecated'), deprecation: Deprecation, impact: Impact.optional(), ...TAIL })
  .meta({ id: 'ApiVersionDeprecatedEvent', description: doc('The version, and when it ends') })

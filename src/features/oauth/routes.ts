import type { Route } from '../../http/pipeline/route.ts'
import { authorizationRoutes } from './authorize.ts'
import { consent } from './consent.ts'
import { authorizeDevice } from './device-authorization.ts'
import { devicePageRoutes } from './device-page.tsx'
import { endSessionRoutes } from './end-session.tsx'
import { introspect } from './introspect.ts'
import { metadataRoutes } from './metadata.ts'
import { ownClientRoutes } from './own-clients.ts'
import { ownConsentRoutes } from './own-consents.ts'
import { ownGrantRoutes } from './own-grants.ts'
import { register } from './register.ts'
import { revoke } from './revoke.ts'
import { signIn } from './sign-in.ts'
import { signUpRoutes } from './sign-up.ts'
import { token } from './token.ts'
import { userInfoRoutes } from './user-info.ts'

export const oauthRoutes: readonly Route[] = [
  ...metadataRoutes,
  ...authorizationRoutes,
  signIn,
  ...signUpRoutes,
  consent,
  token,
  authorizeDevice,
  ...devicePageRoutes,
  register,
  revoke,
  introspect,
  ...userInfoRoutes,
  ...endSessionRoutes,
  ...ownClientRoutes,
  ...ownGrantRoutes,
  ...ownConsentRoutes,
]

import type { Route } from '../../../api/http/route.js';
import { confirmationRoutes } from '../../../api/routes/accounts/confirmation.js';
import { passkeySignInRoutes } from '../../../api/routes/accounts/passkey-sign-in.js';
import { passkeyRoutes } from '../../../api/routes/accounts/passkeys.js';
import { passwordRoutes } from '../../../api/routes/accounts/passwords.js';
import { profileRoutes } from '../../../api/routes/accounts/profile.js';
import { secondFactorRoutes } from '../../../api/routes/accounts/second-factor.js';
import type { SignIn } from '../../../core/services/accounts/sign-in.js';
import type { OpenedCredentials } from '../../wiring/credentials.js';

/** Routes for the profile, passwords, second factors and passkeys of users. */
export function credentialRoutes(opened: OpenedCredentials, signIn: SignIn): Route[] {
  return [
    ...profileRoutes(opened),
    ...passwordRoutes(opened),
    ...secondFactorRoutes(opened),
    ...passkeyRoutes(opened),
    ...confirmationRoutes(opened),
    ...passkeySignInRoutes({ ...opened, signIn }),
  ];
}

import { signupRoutes } from '../../../api/routes/accounts/signup.js';
import type { Route } from '../../../api/http/route.js';
import { Signups } from '../../../core/data/repositories/accounts/signups.js';
import { ProofsOfWork } from '../../../core/services/access/proofs-of-work.js';
import { ConfirmSignUp } from '../../../core/services/accounts/signup/confirm.js';
import { SignUp } from '../../../core/services/accounts/signup/signup.js';
import type { Accounts } from '../../wiring/accounts.js';
import { openProvisioning, type ProvisioningOptions } from './provisioning.js';

export interface SignupParts {
  readonly accounts: Pick<Accounts, 'passwords' | 'sessions' | 'tries'>;
  readonly publicUrl: () => string;
  readonly isOpen: boolean;
}

/** Routes for strangers who sign up. */
export function openSignupRoutes(options: ProvisioningOptions, { accounts, publicUrl, isOpen }: SignupParts): Route[] {
  const { stores, cipher, clock } = options;
  const { db, users, widgets } = stores;
  const signups = new Signups(db);
  const proofs = new ProofsOfWork(widgets, clock, cipher);
  return signupRoutes({
    isOpen,
    signUp: new SignUp({ db, signups, users, proofs, ...accounts, cipher, publicUrl, clock }),
    confirmation: new ConfirmSignUp({ signups, provisioning: openProvisioning(options), ...accounts, clock }),
  });
}

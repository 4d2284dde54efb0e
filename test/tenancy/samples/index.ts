import type { Samples } from '../sample.js';
import { administeredProjects } from './administered-projects.js';
import { administration } from './administration.js';
import { billing } from './billing.js';
import { broadcasts } from './broadcasts.js';
import { calls } from './calls.js';
import { chats } from './chats.js';
import { conferences } from './conferences.js';
import { contacts } from './contacts.js';
import { flows } from './flows.js';
import { installation } from './installation.js';
import { messaging } from './messaging.js';
import { numbers } from './numbers.js';
import { organization } from './organization.js';
import { privacy } from './privacy.js';
import { production } from './production.js';
import { queues } from './queues.js';
import { recordings } from './recordings.js';
import { SANDBOX_SAMPLES, simulateIncomingCall } from './sandbox.js';
import { singleSignOn } from './single-sign-on.js';
import { verification } from './verification.js';
import { webCalling } from './web-calling.js';
import { webhooks } from './webhooks.js';
import { widgets } from './widgets.js';

const platform: Samples = { getHealth: () => ({}), getOpenApi: () => ({}) };

/** How to bring each operation to a 2xx. */
export const SAMPLES: Samples = {
  simulateIncomingCall,
  ...administeredProjects,
  ...administration,
  ...billing,
  ...broadcasts,
  ...calls,
  ...chats,
  ...conferences,
  ...contacts,
  ...flows,
  ...installation,
  ...messaging,
  ...numbers,
  ...organization,
  ...platform,
  ...privacy,
  ...production,
  ...queues,
  ...recordings,
  ...singleSignOn,
  ...verification,
  ...webCalling,
  ...webhooks,
  ...widgets,
};

export { SANDBOX_SAMPLES };

const OF_STRANGERS =
  'Its callers belong to no organization yet; test/integration/accounts/signup.int.ts tries known addresses.';

const OF_PEOPLE =
  'It is on the user of a session or a link, not on a project; test/integration/accounts tries other users.';

const OF_WHATSAPP = 'It needs WhatsApp, whose peer is in chatapp-accounts.int.ts and chatapp.int.ts; they try others.';
const OF_A_MAIL = 'It needs the link of a mail and no key; messages-unsubscribe.int.ts tries others.';

const OF_A_PROVIDER =
  'This world has no identity provider; test/integration/accounts/sso-sign-in.int.ts tries it with others.';

/** Operations without a sample, with the reason. */
export const UNSAMPLED: Readonly<Record<string, string>> = {
  setUp: 'It works once, and made the administrator of this world.',
  signOutAdministrator: 'It would end the session with which all other routes of administrators are tried.',
  createProductionRequest: 'Only sandbox organizations make requests; production-requests.int.ts tries it with others.',
  submitProductionRequest:
    'Only sandbox organizations submit requests; production-requests.int.ts tries it with others.',
  removeProductionDocument:
    'The projects of an organization share its one open request; production-requests.int.ts tries it with others.',
  createNationalIdVerification: 'This world has no identity service; national-id.int.ts tries it with others.',
  getNationalIdVerification: 'This world has no identity service; national-id.int.ts tries it with others.',
  confirmNationalIdVerification: 'This world has no identity service; national-id.int.ts tries it with others.',
  receiveNationalIdNotice: 'The identity service sends it, with its own signature and no key.',
  takeMessageNotice: 'A mail server sends it, with its own signature and no key.',
  confirmMessageNotices: 'WhatsApp asks it, with a token of its own and no key.',
  listChatappAccounts: OF_WHATSAPP,
  createChatappAccount: OF_WHATSAPP,
  changeChatappAccount: OF_WHATSAPP,
  deleteChatappAccount: OF_WHATSAPP,
  readMessage: OF_WHATSAPP,
  mailWidgetChatTranscript: 'This world has no mail server; webchat-transcript.int.ts tries other tokens.',
  showUnsubscribePage: OF_A_MAIL,
  unsubscribe: OF_A_MAIL,
  downloadMedia: OF_WHATSAPP,
  followLink: 'It needs the link of a message and no key; messages-links.int.ts tries others.',
  hearOfPayment: 'The gateway sends it, with its own signature and no key.',
  getSignupChallenge: OF_STRANGERS,
  signUp: OF_STRANGERS,
  resendSignup: OF_STRANGERS,
  confirmSignup: OF_STRANGERS,
  signIn: OF_PEOPLE,
  listSessions: OF_PEOPLE,
  endOtherSessions: OF_PEOPLE,
  refreshSession: OF_PEOPLE,
  signOut: OF_PEOPLE,
  endSession: OF_PEOPLE,
  getProfile: OF_PEOPLE,
  updateProfile: OF_PEOPLE,
  confirmEmail: OF_PEOPLE,
  confirmPhone: OF_PEOPLE,
  changePassword: OF_PEOPLE,
  forgotPassword: OF_PEOPLE,
  resetPassword: OF_PEOPLE,
  beginTotp: OF_PEOPLE,
  confirmTotp: OF_PEOPLE,
  removeTotp: OF_PEOPLE,
  renewRecoveryCodes: OF_PEOPLE,
  beginPasskey: OF_PEOPLE,
  addPasskey: OF_PEOPLE,
  listPasskeys: OF_PEOPLE,
  removePasskey: OF_PEOPLE,
  confirmSession: OF_PEOPLE,
  beginPasskeySignIn: OF_PEOPLE,
  signInWithPasskey: OF_PEOPLE,
  startSso: OF_A_PROVIDER,
  finishSso: OF_A_PROVIDER,
  fetchSsoSession: OF_A_PROVIDER,
  verifySsoDomain: 'This world has no name server; test/integration/accounts/sso-domains.int.ts tries it with others.',
};

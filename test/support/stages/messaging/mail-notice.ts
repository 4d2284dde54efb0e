import { Webhook } from 'standardwebhooks';
import type { Answer, TestApi } from '../../api.js';

/** Signs notices about mail. */
export const NOTICE_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Posts a mail as a mail server of the operator does. */
export function postMailNotice(api: TestApi, mail: string, secret = NOTICE_SECRET): Promise<Answer> {
  const at = new Date();
  const headers = {
    'webhook-id': 'n-1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign('n-1', at, mail),
  };
  return api.request('POST', '/v1/messages/providers/email/notices', { raw: mail, headers });
}

/** Phones in a process of their own. Each request names what they do, how often, and at which rate. */
import { paced } from '../lib/paced.js';
import { Phone, type PhoneAccount } from './phone.js';

interface Wanted {
  readonly do: 'open' | 'register' | 'call';
  readonly accounts?: readonly PhoneAccount[];
  readonly target?: string;
  readonly count?: number;
  readonly rate?: number;
}

/** Those that were opened last. Earlier ones stay connected, and do nothing more. */
let phones: readonly Phone[] = [];

async function answer({ do: what, accounts = [], target = '', count = 0, rate = 1 }: Wanted): Promise<object> {
  if (what === 'open') {
    phones = await Promise.all(accounts.map((account) => Phone.open(account)));
    return {};
  }
  const beganMs = performance.now();
  let next = 0;
  let why = '';
  const failed = await paced(count, rate, async () => {
    const phone = phones[next++ % phones.length]!;
    try {
      await (what === 'register' ? phone.register() : phone.call(target));
    } catch (error) {
      why ||= String(error);
      throw error;
    }
  });
  return { successful: count - failed, seconds: (performance.now() - beganMs) / 1000, why };
}

process.on('message', (wanted: Wanted) => {
  void answer(wanted).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({});

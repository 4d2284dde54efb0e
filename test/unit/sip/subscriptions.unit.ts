import { expect } from 'chai';
import type { SipSubscriptionRow } from '../../../core/data/rows.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import type { HostPort } from '../../../core/model/host-port.js';
import { SipText } from '../../../sip/message/text.js';
import { RELAY_HEADER } from '../../../sip/message/own-fields.js';
import { Inwards } from '../../../sip/relay/inwards.js';
import { Seal } from '../../../sip/relay/seal.js';
import { Tokens } from '../../../sip/relay/tokens.js';
import { SubscriptionAdmission, type AdmittedSubscription } from '../../../sip/subscriptions/admit.js';
import { dialogInfo, documentOf, messageSummary } from '../../../sip/subscriptions/documents.js';
import { Notifier } from '../../../sip/subscriptions/notifier.js';
import { quiet } from '../../support/logger.js';
import { ROUTE, sipRequest } from '../../support/peers/sip/request.js';

const DRACHTIO = { host: '127.0.0.1', port: 5060 };
const OUTSIDE = { host: '127.0.0.1', port: 5090 };
const seal = new Seal((text) => `mac of ${text}`);
const tokens = new Tokens(seal);
const inwards = new Inwards({ seal, tokens, inside: { host: '10.0.0.5', port: 5090 }, outside: OUTSIDE });

describe('a subscription of a phone', () => {
  let passed: AdmittedSubscription[];
  const admission = new SubscriptionAdmission({
    watched: (aor, name) => Promise.resolve(name === '1002' || name === aor ? name : null),
    pass: (_, subscription) => Promise.resolve(void passed.push(subscription)),
  });
  beforeEach(() => (passed = []));
  const subscribe = async (uri: string, event: string | null): Promise<unknown> => {
    const request = sipRequest(`SUBSCRIBE ${uri}`, event === null ? [] : [`Event: ${event}`]);
    await admission.admit(request, '1001');
    const [outcome] = request.outcomes;
    return outcome?.did === 'answered' ? outcome.status : passed.at(-1);
  };

  it('is served for a colleague and for the own messages', async () => {
    const dialog = { aor: '1001', target: '1002', package: 'dialog' };
    expect(await subscribe('sip:1002@hatif', 'dialog')).to.deep.equal(dialog);
    expect(await subscribe('sip:1002@hatif', 'Dialog;id=7')).to.deep.equal(dialog);
    const messages = { aor: '1001', target: '1001', package: 'message-summary' };
    expect(await subscribe('sip:1001@hatif', 'message-summary')).to.deep.equal(messages);
    expect(await subscribe('sip:hatif', 'message-summary'), 'without a user').to.deep.equal(messages);
  });

  it('is refused for others, for the messages of others, and for what the edge does not have', async () => {
    expect(await subscribe('sip:1003@hatif', 'dialog')).to.equal(404);
    expect(await subscribe('sip:1002@hatif', 'message-summary')).to.equal(404);
    expect(await subscribe('sip:1002@hatif', 'presence')).to.equal(489);
    expect(await subscribe('sip:1002@hatif', null)).to.equal(489);
    expect(passed).to.deep.equal([]);
  });
});

describe('documents for phones', () => {
  it('say whether somebody is on the telephone, and nothing about the other side', () => {
    expect(dialogInfo('1002', 'early recipient', 3, 'sip:1002@"x"&')).to.equal(
      [
        '<?xml version="1.0"?>',
        '<dialog-info xmlns="urn:ietf:params:xml:ns:dialog-info" version="3" state="full" entity="sip:1002@&quot;x&quot;&amp;">',
        '<dialog id="1002" direction="recipient"><state>early</state></dialog>',
        '</dialog-info>',
        '',
      ].join('\r\n'),
    );
    expect(dialogInfo('1002', 'terminated', 0, 'x')).to.contain('<dialog id="1002"><state>terminated</state></dialog>');
  });

  it('say how many messages wait', () => {
    expect(messageSummary('0/2')).to.equal('Messages-Waiting: no\r\nVoice-Message: 0/2 (0/0)\r\n');
    expect(messageSummary('10/2', 'sip:1001@hatif')).to.equal(
      'Messages-Waiting: yes\r\nMessage-Account: sip:1001@hatif\r\nVoice-Message: 10/2 (0/0)\r\n',
    );
    const row = {
      package: 'message-summary',
      target: '1001',
      state: null,
      version: 0,
      local: '"x" <sip:1001@h>;tag=1',
    } as const;
    expect(documentOf(row).body).to.contain('Message-Account: sip:1001@h\r\n').and.contain('Messages-Waiting: no');
  });
});

describe('the notifier', () => {
  let rows: Map<string, SipSubscriptionRow>;
  let sent: SipText[];
  let answers: SipText[];
  let statuses: (number | null)[];
  let busy: string | null;
  let isFull: boolean;
  let clock: VirtualClock;
  let notifier: Notifier;

  beforeEach(() => {
    rows = new Map();
    [sent, answers, statuses, busy, isFull] = [[], [], [], null, false];
    clock = new VirtualClock();
    const due = (): SipSubscriptionRow[] =>
      [...rows.values()].flatMap((row) => {
        const state = busy ?? 'terminated';
        if (row.package !== 'dialog' || row.state === state) return [];
        const next = { ...row, state, version: row.version + 1, local_cseq: row.local_cseq + 1 };
        rows.set(row.id, next);
        return [next];
      });
    notifier = new Notifier({
      ...{ tokens, outside: OUTSIDE, clock, log: quiet },
      subscriptions: {
        add(row) {
          const known = [...rows.values()].find(
            ({ call_id, remote }) => call_id === row.call_id && remote === row.remote,
          );
          const { id, local, local_cseq, version } = known ?? row;
          const stored = { ...row, id, local, local_cseq, version };
          rows.set(id, stored);
          return Promise.resolve(isFull ? null : stored);
        },
        refresh({ id, call_id, ...change }) {
          const row = rows.get(id);
          if (row?.call_id !== call_id || row.remote_cseq > change.remote_cseq) return Promise.resolve(false);
          rows.set(id, { ...row, ...change, state: null });
          return Promise.resolve(true);
        },
        remove(id) {
          const row = rows.get(id) ?? null;
          rows.delete(id);
          return Promise.resolve(row);
        },
        removeExpired() {
          const over = [...rows.values()].filter(({ expires_at: until }) => until <= clock.now());
          for (const { id } of over) rows.delete(id);
          return Promise.resolve(over);
        },
        targets: () => Promise.resolve([]),
        takeChangedLamps: () => Promise.resolve(due()),
        takeChangedMessages: () => Promise.resolve([]),
        answered: () => Promise.resolve(),
      },
      messagesOf: () => Promise.resolve(new Map()),
      flowOf: () => Promise.resolve(null),
      send(request) {
        sent.push(request);
        return Promise.resolve(statuses.shift() ?? 200);
      },
      answer: (response) => void answers.push(response),
    });
  });

  /** Through the relay, as drachtio-server sends it. */
  async function subscribe(
    fields: readonly string[],
    uri = 'sip:x@127.0.0.1:5090',
    source: HostPort = DRACHTIO,
  ): Promise<SipText> {
    const text = [
      `SUBSCRIBE ${uri} SIP/2.0`,
      ...['Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK1', 'Call-ID: c1', 'Contact: <sip:1001@192.168.1.7:5062>'],
      ...['From: <sip:1001@hatif>;tag=here', 'Event: dialog;id=7', ...fields, '', ''],
    ];
    const own = inwards.request(SipText.parse(Buffer.from(text.join('\r\n')))!, source);
    if (own === null || 'to' in own) throw new Error('not for the edge itself');
    await notifier.serve(own);
    await flushed();
    return answers.at(-1)!;
  }
  /** Notifications are sent in the background. */
  const flushed = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  const update = async (): Promise<void> => {
    await notifier.update();
    await flushed();
  };
  const token = tokens.write('subscription', {
    aor: '1001',
    target: '1002',
    route: ROUTE,
    flow: 'sip:1001@198.51.100.20:41000',
  });
  const begin = (...fields: readonly string[]): Promise<SipText> =>
    subscribe([
      ...['To: <sip:1002@hatif>', 'CSeq: 1 SUBSCRIBE', `${RELAY_HEADER}: ${token}`],
      ...['Record-Route: <sip:127.0.0.1:5060;lr>', ...fields],
    ]);

  it('accepts, and sends the state at once, by the way that the phone came', async () => {
    const ok = await begin('Expires: 600');
    expect([ok.status, ok.first('expires')]).to.deep.equal([200, '600']);
    expect(ok.all('record-route')).to.deep.equal([ROUTE]);
    const [notify] = sent;
    expect(notify?.start).to.equal('NOTIFY sip:1001@198.51.100.20:41000 SIP/2.0');
    expect(notify?.all('route')).to.deep.equal(['<sip:127.0.0.1:5060;lr>']);
    expect(notify?.first('to')).to.equal('<sip:1001@hatif>;tag=here');
    expect(notify?.first('from')).to.equal(ok.first('to'));
    expect(notify?.first('event')).to.equal('dialog;id=7');
    expect(notify?.first('subscription-state')).to.equal('active;expires=600');
    expect(notify?.body).to.contain('<state>terminated</state>');
  });

  it('tells each change once, with a higher number', async () => {
    await begin();
    busy = 'early recipient';
    await update();
    await update();
    busy = 'confirmed';
    await update();
    expect(sent.map(({ body }) => /<state>(\w+)/.exec(body)?.[1])).to.deep.equal(['terminated', 'early', 'confirmed']);
    expect(sent.map((one) => one.first('cseq'))).to.deep.equal(['2 NOTIFY', '3 NOTIFY', '4 NOTIFY']);
  });

  const refresh = async (cseq: number, expires: number, callId = 'c1'): Promise<number | null> => {
    const contact = /<([^>]+)>/.exec(sent[0]?.first('contact') ?? '')?.[1] ?? '';
    const to = sent[0]?.first('from') ?? '';
    return (
      await subscribe([`To: ${to}`, `CSeq: ${cseq} SUBSCRIBE`, `Expires: ${expires}`, `Call-ID: ${callId}`], contact)
    ).status;
  };

  it('prolongs a subscription by its contact, and ends it', async () => {
    await begin();
    expect(await refresh(2, 600)).to.equal(200);
    expect(sent).to.have.length(2);
    expect(await refresh(2, 600), 'repeated, because the answer was lost').to.equal(200);
    expect(await refresh(1, 600), 'an old request').to.equal(481);
    expect(await refresh(3, 0)).to.equal(200);
    expect(sent.at(-1)?.first('subscription-state')).to.equal('terminated;reason=deactivated');
    expect(rows.size).to.equal(0);
    expect(await refresh(4, 600)).to.equal(481);
  });

  it('asks for a longer time than a minute, and gives an hour at most', async () => {
    expect((await begin('Expires: 30')).status).to.equal(423);
    expect((await begin('Expires: 999999')).first('expires')).to.equal('3600');
    expect((await begin('Expires: 0')).status, 'only the present state').to.equal(200);
    expect(sent.at(-1)?.first('subscription-state')).to.contain('terminated');
  });

  it('has one subscription of a phone that repeats its request', async () => {
    const [first, second] = [await begin(), await begin()];
    expect(rows.size).to.equal(1);
    expect(second.first('to')).to.equal(first.first('to'));
    expect(second.first('contact')).to.equal(first.first('contact'));
  });

  it('refuses fields of unusual lengths, and a phone with too many subscriptions', async () => {
    expect((await begin(`Record-Route: <sip:${'x'.repeat(500)};lr>`)).status).to.equal(400);
    isFull = true;
    expect((await begin()).status).to.equal(403);
    expect(sent).to.deep.equal([]);
  });

  it('ends a subscription that its phone does not know, and one whose time is over', async () => {
    statuses = [481];
    await begin();
    expect(rows.size).to.equal(0);
    await begin('Expires: 60');
    await clock.advance(60_001);
    await update();
    expect(sent.at(-1)?.first('subscription-state')).to.equal('terminated;reason=timeout');
  });

  it('keeps a subscription whose notification this process could not send', async () => {
    statuses = [null];
    await begin();
    expect(rows.size).to.equal(1);
  });

  it('serves nothing but SUBSCRIBE', async () => {
    await begin();
    const contact = /<([^>]+)>/.exec(sent[0]?.first('contact') ?? '')![1]!;
    const text = `BYE ${contact} SIP/2.0\r\nVia: SIP/2.0/UDP a\r\nFrom: <sip:a@a>\r\nTo: <sip:b@b>;tag=1\r\nCall-ID: c\r\nCSeq: 5 BYE\r\n\r\n`;
    const own = inwards.request(SipText.parse(Buffer.from(text))!, DRACHTIO);
    if (own === null || 'to' in own) throw new Error('not for the edge itself');
    await notifier.serve(own);
    expect(answers.at(-1)?.status).to.equal(405);
  });
});

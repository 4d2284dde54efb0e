import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isId, newId } from '../../../core/model/ids.js';
import { NO_SIP_SECURITY } from '../../../core/model/sip-security.js';
import { EngineError } from '../../../core/ports/engine.js';
import type { Trunk } from '../../../core/ports/engine/peers.js';
import {
  callerIdVariables,
  dialString,
  diversionVariables,
  resumedVariables,
  identityVariables,
} from '../../../engine/asterisk/sip/dial-string.js';
import { legIdOf } from '../../../engine/asterisk/leg-id.js';
import { MediaUris } from '../../../engine/asterisk/media-uri.js';
import {
  probeObjects,
  registrationObject,
  softphoneObjects,
  trunkObjects,
  trunkOfEndpoint,
} from '../../../engine/asterisk/sip/pjsip-objects.js';

const CREATED = '2026-11-21T14:02:32.170+0000';
const DEFAULTS = {
  codecs: ['alaw', 'g722'],
  rtpTimeoutSeconds: 60,
  rtpTimeoutOnHoldSeconds: 3600,
  sessionTimers: { expiresSeconds: 1800, minSeconds: 90 },
  trunkProbeSeconds: 30,
  security: NO_SIP_SECURITY,
};

describe('Asterisk: leg ids', () => {
  const inbound = { id: '1795270805.12', creationtime: CREATED };

  it('are the channel id of an outbound leg', () => {
    const id = newId();
    expect(legIdOf({ id, creationtime: CREATED }, 'engine')).to.equal(id);
  });

  it('of an inbound channel are well-formed, sort by creation time, and are stable', () => {
    const legId = legIdOf(inbound, 'engine');
    expect(isId(legId)).to.equal(true);
    expect(legIdOf(inbound, 'engine')).to.equal(legId);
    expect(Number.parseInt(legId.replaceAll('-', '').slice(0, 12), 16)).to.equal(Date.parse(CREATED));
  });

  it('differ by channel, creation time and engine', () => {
    const others = [
      legIdOf({ ...inbound, id: '1795270805.13' }, 'engine'),
      legIdOf({ ...inbound, creationtime: '2026-11-21T14:02:32.171+0000' }, 'engine'),
      legIdOf(inbound, 'another'),
    ];
    expect(new Set([legIdOf(inbound, 'engine'), ...others]).size).to.equal(4);
  });
});

describe('Asterisk: dial strings', () => {
  it('name the endpoint of each kind of target', () => {
    expect(dialString({ type: 'softphone', aor: 'agent-1' })).to.equal('PJSIP/agent-1');
    expect(resumedVariables({ type: 'softphone', aor: 'agent-1' })).to.deep.equal({});
    expect(resumedVariables({ type: 'softphone', aor: 'web.1', resumedSeconds: 75 })).to.deep.equal({
      'PJSIP_HEADER(add,X-Hatif-Resumed)': '75',
    });
    expect(dialString({ type: 'trunk', trunkId: 't1', number: '+966500000001' })).to.equal(
      'PJSIP/+966500000001@hatif-trunk-t1',
    );
    expect(dialString({ type: 'trunk', trunkId: 't1', number: '*21#' })).to.equal('PJSIP/*21%23@hatif-trunk-t1');
    expect(dialString({ type: 'sip', uri: 'sip:anna@192.0.2.1:5070;transport=tcp' })).to.equal(
      'PJSIP/hatif-direct/sip:anna@192.0.2.1:5070;transport=tcp',
    );
    expect(dialString({ type: 'inside', number: '+966500000001' })).to.equal('Local/+966500000001@hatif-inside/n');
  });

  for (const endpoint of [
    { type: 'softphone', aor: 'a&PJSIP/b' },
    { type: 'softphone', aor: '' },
    { type: 'trunk', trunkId: 't1', number: '1@evil' },
    { type: 'trunk', trunkId: 't1', number: '1 2' },
    { type: 'sip', uri: 'sip:a@b&PJSIP/c' },
    { type: 'sip', uri: 'tel:+966500000001' },
    { type: 'sip', uri: 'sip:a@b\r\nX: y' },
    { type: 'sip', uri: 'sip:a@b/c' },
    { type: 'inside', number: '+1@hatif-trunk' },
  ] as const) {
    it(`reject ${JSON.stringify(endpoint)}`, () => {
      expect(() => dialString(endpoint))
        .to.throw(EngineError)
        .with.property('kind', 'rejected');
    });
  }

  it('tell trunks whose call is forwarded, and why', () => {
    const trunk = { type: 'trunk', trunkId: 't1', number: '+966500000001' } as const;
    expect(diversionVariables(trunk)).to.deep.equal({});
    const diversion = { number: '+966112345678', case: 'no_answer' } as const;
    expect(diversionVariables({ ...trunk, diversion })).to.include({
      'REDIRECTING(from-num,i)': '+966112345678',
      'REDIRECTING(reason,i)': 'cfnr',
    });
    expect(diversionVariables({ type: 'inside', number: '+966500000001', diversion })).to.deep.equal({});
  });

  it('escape a display name, and omit a withheld caller', () => {
    const shown = callerIdVariables({ number: '+966112345678', name: 'A"\r\nX: <b>' });
    expect(shown['CONNECTEDLINE(name,i)']).to.match(/^[^"\r\n<>]*$/);
    expect(JSON.stringify(callerIdVariables({ number: null, name: 'Anna' }))).not.to.include('Anna');
  });
});

describe('Asterisk: pushed objects', () => {
  const trunk = {
    trunkId: 't1',
    host: '2001:db8::1',
    port: 5061,
    transport: 'tls',
    credentials: { username: 'user', password: 'secret' },
    inboundAddresses: ['192.0.2.1', '198.51.100.0/24'],
  } as const;

  it('are ordered by their references', () => {
    const softphone = { aor: 'agent-1', password: 'secret', displayName: 'A "B"', maxContacts: 2 };
    expect(softphoneObjects(softphone, DEFAULTS).map(({ type }) => type)).to.deep.equal(['auth', 'aor', 'endpoint']);
    expect(trunkObjects(trunk, DEFAULTS).map(({ type }) => type)).to.deep.equal([
      'auth',
      'aor',
      'endpoint',
      'identify',
    ]);
  });

  it('have the context of their kind, so that a softphone never counts as a trunk', () => {
    const contextOf = (objects: ReturnType<typeof trunkObjects>) =>
      objects.flatMap(({ fields }) => fields.filter(([name]) => name === 'context').map(([, value]) => value));
    const softphone = { aor: 'agent-1', password: 'secret', displayName: '', maxContacts: 1 };
    expect(contextOf(softphoneObjects(softphone, DEFAULTS))).to.deep.equal(['hatif-agent']);
    expect(contextOf(trunkObjects(trunk, DEFAULTS))).to.deep.equal(['hatif-trunk']);
  });

  it('enable session timers for phones and trunks', () => {
    const softphone = { aor: 'agent-1', password: 'secret', displayName: '', maxContacts: 1 };
    for (const objects of [softphoneObjects(softphone, DEFAULTS), trunkObjects(trunk, DEFAULTS)]) {
      const fields = new Map(objects.find(({ type }) => type === 'endpoint')?.fields);
      expect([fields.get('timers'), fields.get('timers_sess_expires'), fields.get('timers_min_se')]).to.deep.equal([
        ...['yes', '1800', '90'],
      ]);
    }
  });

  it('encrypt phones and trunks over TLS only, and say so also where they do not', () => {
    const security = { phonesNeedTls: true, phones: 'required', trunks: 'offered' } as const;
    const softphone = { aor: 'agent-1', password: 'secret', displayName: '', maxContacts: 1 };
    const of = (objects: ReturnType<typeof trunkObjects>): readonly (string | undefined)[] => {
      const fields = new Map(objects.find(({ type }) => type === 'endpoint')?.fields);
      return ['context', 'transport', 'media_encryption', 'media_encryption_optimistic'].map((name) =>
        fields.get(name),
      );
    };
    const secure = { ...DEFAULTS, security };
    expect(of(softphoneObjects(softphone, secure))).to.deep.equal(['hatif-tls-agent', 'tls', 'sdes', 'no']);
    expect(of(softphoneObjects(softphone, DEFAULTS))).to.deep.equal(['hatif-agent', '', 'no', 'no']);
    expect(of(trunkObjects(trunk, secure))).to.deep.equal(['hatif-tls-trunk', undefined, 'sdes', 'yes']);
    expect(of(trunkObjects({ ...trunk, transport: 'tcp' }, secure))).to.deep.equal([
      'hatif-trunk',
      undefined,
      'no',
      'no',
    ]);
    expect(of(trunkObjects({ ...trunk, isPeer: true }, secure))).to.deep.equal(['hatif-peer', undefined, 'no', 'no']);
  });

  it('of a trunk without credentials and addresses are only its aor and endpoint', () => {
    const objects = trunkObjects({ ...trunk, credentials: null, inboundAddresses: [] }, DEFAULTS);
    expect(objects.map(({ type }) => type)).to.deep.equal(['aor', 'endpoint']);
    expect(objects[0]?.fields).to.deep.equal([['contact', 'sip:[2001:db8::1]:5061;transport=tls']]);
  });

  it('of a trunk have its codecs, its way of sending digits, and its rule for the caller', () => {
    const fieldsOf = (more: Partial<Trunk>) =>
      new Map(trunkObjects({ ...trunk, ...more }, DEFAULTS).find(({ type }) => type === 'endpoint')?.fields);
    const usual = fieldsOf({});
    expect([usual.get('allow'), usual.get('dtmf_mode'), usual.get('send_pai')]).to.deep.equal([
      ...[DEFAULTS.codecs.join(','), 'auto_info', 'yes'],
    ]);
    const own = fieldsOf({ codecs: ['opus', 'alaw'], dtmfMode: 'inband', assertsCaller: false });
    expect([own.get('allow'), own.get('dtmf_mode'), own.get('send_pai')]).to.deep.equal(['opus,alaw', 'inband', 'no']);
  });

  it('of a trunk that registers name its account', () => {
    const { type, id, fields } = registrationObject({ ...trunk, credentials: { username: 'a@b', password: 'secret' } });
    expect([type, id]).to.deep.equal(['registration', 'hatif-trunk-t1']);
    const of = new Map(fields);
    expect(of.get('server_uri')).to.equal('sip:[2001:db8::1]:5061;transport=tls');
    expect(of.get('client_uri')).to.equal('sip:a%40b@[2001:db8::1]');
    expect([of.get('contact_user'), of.get('outbound_auth')]).to.deep.equal(['a%40b', 'hatif-trunk-t1']);
    expect(JSON.stringify(fields), 'the password is in the auth').to.not.contain('secret');
  });

  it('add headers about the caller to a leg', () => {
    const identity = { asserted: '+966112345678', isPrivate: true };
    expect(identityVariables(identity, trunk)).to.deep.equal({
      'PJSIP_HEADER(add,P-Asserted-Identity)': '<sip:+966112345678@[2001:db8::1]>',
      'PJSIP_HEADER(add,Privacy)': 'id',
    });
    expect(identityVariables({ asserted: null, isPrivate: false }, trunk)).to.deep.equal({});
  });
});

describe('Asterisk: probes of a trunk', () => {
  const trunk = { trunkId: 'a', host: '198.51.100.7', port: 5060, transport: 'udp', inboundAddresses: [] } as const;

  it('use an endpoint of their own, which nobody can call', () => {
    const [aor, endpoint, ...rest] = probeObjects({ ...trunk, credentials: null }, DEFAULTS);
    expect(rest).to.deep.equal([]);
    expect(aor).to.deep.include({ type: 'aor', id: 'hatif-probe-a' });
    expect(aor!.fields).to.deep.include(['contact', 'sip:198.51.100.7:5060']);
    expect(aor!.fields).to.deep.include(['qualify_frequency', '30']);
    expect(endpoint).to.deep.include({ type: 'endpoint', id: 'hatif-probe-a' });
    expect(endpoint!.fields).to.deep.include(['context', 'hatif-nowhere']);
    expect(trunkOfEndpoint('hatif-probe-a'), 'no trunk of calls').to.equal(null);
  });
});

describe('Asterisk: sounds', () => {
  it('are generated consistently by several engines at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-sounds-'));
    try {
      const tone = [{ type: 'tone', tone: 'ringback' }] as const;
      const made = await Promise.all([1, 2, 3, 4].map(() => new MediaUris(folder).ofAll(tone, 1)));
      expect(new Set(made.map(([first]) => first))).to.have.property('size', 1);
      expect(await readdir(folder)).to.deep.equal(['tone-ringback.wav']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

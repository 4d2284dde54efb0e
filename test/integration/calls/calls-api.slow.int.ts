import type { CallObject } from '../../../core/model/objects/call.js';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer, RequestOptions } from '../../support/api.js';
import { toneWav } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import type { Tenant } from '../../support/platform/tenant.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { detailsOf, outcome } from '../../support/judges/outcome.js';

const CUSTOMER = '+966501234517';
const MASKED = '+96650••••17';

describe('calls by the API', function () {
  this.timeout(30_000);
  let stage: TestPlatform;
  let other: Tenant;

  withPlatform(
    async (made) => {
      stage = made;
      other = await stage.tenant();
    },
    { cables: true },
  );

  const post = (json: object, options: RequestOptions = {}): Promise<Answer> =>
    stage.request('POST', '/v1/calls', { json: { to: CUSTOMER, ...json }, ...options });
  const get = (path: string, options: RequestOptions = {}): Promise<Answer> => stage.request('GET', path, options);
  const count = async (): Promise<unknown> => (await get('/v1/calls?page=1')).body?.total_count;

  /** Expects a rejection that names these fields, and that nothing was placed. */
  async function refused(json: object, ...paths: string[]): Promise<void> {
    const answer = await post(json);
    expect(outcome(answer), answer.text).to.equal('400 VALIDATION_ERROR');
    const details = detailsOf(answer);
    expect(details.map(({ path }) => path)).to.have.members(paths);
    for (const { message_ar } of details) expect(message_ar).to.match(/[\u0600-\u06ff]/);
  }

  describe('placing', () => {
    it('is limited in velocity if the organization’s feature is on', async () => {
      const limited = (on: boolean) =>
        stage.platform.stores.db.query(
          `UPDATE organizations SET flags = flags || jsonb_build_object('call_velocity', $1::bool)`,
          [on],
        );
      const calls = (): Promise<Answer[]> =>
        Promise.all(Array.from({ length: 6 }, () => post({ to: '+966501234999' })));
      await limited(true);
      const codes = (await calls()).map(({ status }) => status).sort();
      expect(codes).to.deep.equal([202, 202, 202, 202, 202, 429]);
      const refused = await post({ to: '+966501234999' });
      expect(outcome(refused)).to.equal('429 CALL_VELOCITY_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 600);
      await limited(false);
      expect((await calls()).map(({ status }) => status)).to.deep.equal(Array(6).fill(202));
    });

    it('is refused once the project’s spend cap is reached', async () => {
      const cap = (day_sar: number | null): Promise<Answer> =>
        stage.request('PUT', '/v1/billing/spend-caps', { json: { day_sar, month_sar: null } });
      const capped = await cap(0);
      expect(capped.status, capped.text).to.equal(200);
      const before = await count();
      expect(outcome(await post({}))).to.equal('402 SPEND_CAP_EXCEEDED');
      expect(await count()).to.equal(before);
      await cap(null);
    });

    it('is refused once a limit against toll fraud has blocked the project, until the block is released', async () => {
      const limits = (project: object): Promise<Answer> =>
        stage.request('PUT', '/v1/fraud-limits', { json: { project, agents: {} } });
      const limited = await limits({ calls_per_hour: 1 });
      expect(limited.status, limited.text).to.equal(200);
      await stage.sippCarrier({ scenario: 'uas-reject', status: 486 });
      const first = await post({});
      expect(first.status, first.text).to.equal(202);
      await stage.over(String(first.body?.call_id));
      const before = await count();
      expect(outcome(await post({}))).to.equal('403 OUTBOUND_BLOCKED');
      expect(await count()).to.equal(before);
      await limits({});
      expect(outcome(await post({}))).to.equal('403 OUTBOUND_BLOCKED');
      const [block] = (await get('/v1/fraud-blocks')).body?.data as { id: string; rule: string }[];
      expect(block?.rule).to.equal('calls_per_hour');
      const released = await stage.request('POST', `/v1/fraud-blocks/${String(block?.id)}/release`);
      expect(released.status, released.text).to.equal(200);
      const after = await post({});
      expect(after.status, after.text).to.equal(202);
      await stage.over(String(after.body?.call_id));
    });

    it('responds with the whole call, which then rings', async () => {
      await stage.sippCarrier({ scenario: 'uas-answer' });
      const answer = await post({ to: '٠٥٠ ١٢٣-٤٥١٧', metadata: { order: '42' } });
      expect(answer.status, answer.text).to.equal(202);
      const call = answer.body as unknown as CallObject;
      expect(call).to.deep.equal({
        call_id: call.call_id,
        kind: 'outbound',
        direction: 'outbound',
        status: 'initiated',
        customer_number_masked: MASKED,
        line_number: stage.demo.lineNumber,
        queue_id: null,
        agent: null,
        callflow_id: null,
        conference_id: null,
        sandbox: false,
        on_hold: false,
        muted: false,
        legs: [],
        recording: false,
        recording_available: false,
        disposition: null,
        hangup_cause: null,
        queued_seconds: null,
        duration_seconds: null,
        metadata: { order: '42' },
        created_at: call.created_at,
        ringing_at: null,
        answered_at: null,
        ended_at: null,
        served_queue_id: null,
      });
      expect(call.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      await stage.receivedEvent(call.call_id, 'call.answered');
      await stage.hangup(call.call_id);
      await stage.over(call.call_id);
      const responses = [await get(`/v1/calls/${call.call_id}`), await get(`/v1/calls/${call.call_id}/timeline`)];
      for (const { text } of [answer, ...responses])
        expect(text).not.to.contain('501234517').and.not.to.contain('0123451');
      for (const { body } of stage.receiver.events()) expect(body).not.to.contain('501234517');
    });

    it('places one call per Idempotency-Key, however often it is requested', async () => {
      await stage.sippCarrier({ scenario: 'uas-reject', status: 486 });
      const before = Number(await count());
      const headers = { 'Idempotency-Key': newId() };
      const first = await post({}, { headers });
      const second = await post({}, { headers });
      expect([first.status, second.status]).to.deep.equal([202, 202]);
      expect(second.body).to.deep.equal(first.body);
      expect(second.headers.get('idempotent-replayed')).to.equal('true');
      expect(first.headers.has('idempotent-replayed')).to.equal(false);
      expect(outcome(await post({ metadata: { a: '1' } }, { headers }))).to.equal('409 IDEMPOTENCY_KEY_CONFLICT');
      await stage.over(String(first.body?.call_id));
      expect(await count()).to.equal(before + 1);
    });

    it('accepts only the organization’s numbers as caller id', async () => {
      await stage.platform.management.numbers.add(
        { id: other.projectId, organization_id: other.organizationId },
        '+966115550177',
      );
      for (const caller_id_number of ['+966115559999', '+966115550177', CUSTOMER]) {
        expect(outcome(await post({ caller_id_number })), caller_id_number).to.equal('403 CLI_NOT_OWNED');
      }
      // Checked after the destination, and for the project's main number alike.
      expect(outcome(await post({ caller_id_number: '+966115559999', to: '911' }))).to.equal(
        '400 INVALID_PHONE_NUMBER',
      );
      const tenant = await stage.tenant({ main_number: '+966115559999' });
      expect(outcome(await post({}, { key: tenant.liveKey }))).to.equal('403 CLI_NOT_OWNED');
      const nameless = await stage.tenant();
      const answer = await post({}, { key: nameless.liveKey });
      expect(outcome(answer)).to.equal('400 VALIDATION_ERROR');
      expect(answer.text).to.contain('caller_id_number');
    });

    it('rings no invalid number, and no emergency service', async () => {
      for (const to of ['12', 'abc', '+96650123456', '+9665012345678', '911', '+999123456789', '', ' ']) {
        expect(outcome(await post({ to })), to).to.equal('400 INVALID_PHONE_NUMBER');
      }
      for (const target of ['12', '997']) {
        const answer = await post({ connect: { type: 'number', target } });
        expect(outcome(answer), target).to.equal('400 INVALID_PHONE_NUMBER');
        expect(answer.text).to.contain('connect.target');
      }
    });

    it('names every invalid or unsupported field', async () => {
      const text = { text: 'Hello', language: 'en' };
      const agent = { type: 'agent', target: '1001' };
      await refused({ callflow_id: newId() }, 'callflow_id');
      await refused({ connect: { type: 'queue', target: newId() } }, 'connect.target');
      await refused({ record: 'yes' }, 'record');
      await refused({ transcribe: true }, 'transcribe');
      await refused({ transcribe: 'yes', record: true }, 'transcribe');
      await refused({ connect: agent, play: text }, '');
      await refused({ play: {} }, 'play');
      await refused({ play: { ...text, url: 'https://example.com/a.wav' } }, 'play');
      await refused({ play: { text: 'Hello' } }, 'play.language');
      await refused({ play: { text: 'Hello', language: 'fr' } }, 'play.language');
      await refused({ play: { audio_id: newId() } }, 'play.audio_id');
      await refused({ play: { audio_id: 'x' } }, 'play.audio_id');
      await refused({ connect: { type: 'agent', target: '1999' } }, 'connect.target');
      await refused({ connect: { type: 'agent', target: 'no such agent' } }, 'connect.target');
      await refused({ connect: { type: 'sip', target: 'sip:a b@c' } }, 'connect.target');
      await refused({ connect: { type: 'agent' } }, 'connect.target');
      await refused(
        { ring_timeout_seconds: 4, max_duration_seconds: 9 },
        'ring_timeout_seconds',
        'max_duration_seconds',
      );
      await refused(
        { ring_timeout_seconds: 121, max_duration_seconds: 14_401 },
        'ring_timeout_seconds',
        'max_duration_seconds',
      );
      await refused({ send_digits: '12a' }, 'send_digits');
      await refused({ caller_id_name: 'x'.repeat(65) }, 'caller_id_name');
      await refused({ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v'])) }, 'metadata');
      await refused({ colour: 'red' }, 'colour');
      await refused({ to: undefined }, 'to');
    });

    it('plays no audio of another project', async () => {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(toneWav({ hz: 440, seconds: 0.1 }))]), 'tone.wav');
      const uploaded = await stage.request('POST', '/v1/callflows/audio', { key: other.liveKey, raw: form });
      expect(uploaded.status, uploaded.text).to.equal(201);
      await refused({ play: { audio_id: uploaded.body?.id } }, 'play.audio_id');
    });

    it('accepts only public webhook URLs', async () => {
      for (const webhook_url of [
        'http://example.com/a',
        'https://10.1.2.3/a',
        'https://[::1',
        'https://user@example.com/',
      ]) {
        expect(outcome(await post({ webhook_url })), webhook_url).to.equal('400 WEBHOOK_URL_INVALID');
      }
    });

    it('rejects expired and revoked keys', async () => {
      const { keys } = stage.platform.management;
      const { projectId } = other;
      const expired = await keys.create({
        projectId,
        name: 'short',
        kind: 'live',
        expiresAt: new Date(Date.now() + 50),
      });
      const revoked = await keys.create({ projectId, name: 'lost', kind: 'live' });
      await keys.revoke(projectId, revoked.view.id);
      expect(outcome(await post({}, { key: revoked.key }))).to.equal('401 REVOKED_API_KEY');
      await eventually(
        async () => outcome(await get('/v1/calls', { key: expired.key })) === '401 EXPIRED_API_KEY',
        'expiry',
      );
    });

    it('accepts production keys only', async () => {
      const answer = await post({}, { key: stage.demo.sandboxKey });
      expect(outcome(answer)).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
    });

    describe('with audio from a URL', () => {
      let server: Server;
      let base: string;

      before(async () => {
        server = createServer((req, res) => {
          if (req.url === '/text') res.end('this is no audio');
          else if (req.url === '/empty') res.end();
          else if (req.url === '/moved') res.writeHead(302, { Location: '/text' }).end();
          else if (req.url === '/large')
            res.writeHead(200, { 'Content-Length': String(11 * 1024 * 1024) }).flushHeaders();
          else res.writeHead(404).end();
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      });
      after(() => {
        server.closeAllConnections();
        server.close();
      });

      it('reports the problem in both languages, before ringing anyone', async () => {
        const before = await count();
        const reasons = new Set<unknown>();
        for (const url of [
          'http://example.com/a.wav',
          'https://10.0.0.1/a.wav',
          'https://169.254.169.254/latest/meta-data',
          'ftp://example.com/a.wav',
          'nonsense',
          `${base}/text`,
          `${base}/empty`,
          `${base}/moved`,
          `${base}/large`,
          `${base}/missing`,
          'http://127.0.0.1:1/a.wav',
        ]) {
          const answer = await post({ play: { url } });
          expect(outcome(answer), url).to.equal('400 INVALID_PLAY_URL');
          expect(answer.body?.message_ar)
            .to.match(/[\u0600-\u06ff]/)
            .and.not.to.contain(' is ');
          reasons.add(answer.body?.message);
        }
        expect(reasons.size).to.be.at.least(6);
        expect(await count()).to.equal(before);
      });
    });
  });

  describe('to other networks', () => {
    it('are refused without a trunk, or if the trunk does not accept the number', async () => {
      const { trunks } = stage.platform.management;
      const uri = `sip:127.0.0.1:${stage.carrierPort}`;
      const [trunk] = await trunks.list();
      await trunks.remove(String(trunk?.name));
      const refusedWith = async (json: object): Promise<string> => {
        stage.platform.stores.directory.invalidate();
        return outcome(await post(json));
      };
      expect(await refusedWith({})).to.equal('502 CALL_FAILED');
      await trunks.add({ name: 'domestic', uri, foreignNumbers: false });
      expect(await refusedWith({ to: '+441632960961' })).to.equal('400 INVALID_PHONE_NUMBER');
      await trunks.remove('domestic');
    });
  });
});

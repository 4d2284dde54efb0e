import { expect } from 'chai';
import { PAGE, type Answer } from '../../support/api.js';
import { CUSTOMER } from '../../support/stages/call-controller.js';
import { outcome, widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';

describe('a click-to-call widget on a page', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  describe('receives', () => {
    it('its appearance', async () => {
      const { key } = await stage.widget({ otp: true, language: 'en' });
      const { status, body } = await stage.ask('GET', 'settings', key);
      expect(status).to.equal(200);
      const theme = { accent: null, scheme: 'auto', position: 'end' };
      expect(body).to.deep.equal({
        language: 'en',
        otp: true,
        captcha: false,
        browser_calls: false,
        chat: false,
        sandbox: false,
        theme,
      });
    });

    it('nothing if its key is wrong, mistyped or revoked', async () => {
      const { key, id, project_id: projectId } = await stage.widget();
      const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
      expect(outcome(await stage.ask('GET', 'settings', wrong))).to.equal('401 INVALID_API_KEY');
      const secret = await stage.ask('GET', 'settings', stage.callbacks.liveKey);
      expect(outcome(secret)).to.equal('401 INVALID_API_KEY');
      expect(secret.body?.message).to.contain('not the public key of a widget');
      expect(outcome(await stage.ask('GET', `settings?key=${key}`, key))).to.equal('401 INVALID_API_KEY');
      const { liveKey } = stage.callbacks;
      expect((await stage.callbacks.api.request('DELETE', `/v1/widgets/${id}`, { key: liveKey })).status).to.equal(204);
      expect(projectId).to.equal(stage.callbacks.phones.ground.projectId);
      expect(outcome(await stage.request(key, { to: CUSTOMER }))).to.equal('401 REVOKED_API_KEY');
    });
  });

  describe('on an origin', () => {
    const cors = ({ headers }: Answer): string | null => headers.get('access-control-allow-origin');
    const preflight = (path: string, origin: string, method = 'POST'): Promise<Answer> =>
      stage.callbacks.api.request('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
      });

    it('that the widget lists, is allowed, with CORS headers', async () => {
      const { key } = await stage.widget({ allowed_origins: [PAGE, 'https://*.shop.example:8443'] });
      for (const origin of [PAGE, 'https://www.shop.example:8443', 'https://a.b.shop.example:8443']) {
        const answer = await stage.ask('GET', 'settings', key, undefined, origin);
        expect([answer.status, cors(answer), answer.headers.get('vary')]).to.deep.equal([200, origin, 'Origin']);
        const allowed = await preflight(`/v1/widget/callbacks?key=${key}`, origin);
        expect([allowed.status, cors(allowed), allowed.headers.get('access-control-allow-methods')]).to.deep.equal([
          204,
          origin,
          'POST',
        ]);
        expect(allowed.headers.get('access-control-allow-headers')).to.match(/\bContent-Type\b/);
        expect(allowed.headers.get('access-control-allow-credentials')).to.equal(null);
      }
    });

    it('that the widget does not list, is rejected before anything else is checked', async () => {
      const { key } = await stage.widget({ allowed_origins: [PAGE, 'https://*.shop.example'] });
      const otherOrigins = [
        'https://other.example',
        'http://shop.example',
        'https://shop.example:8443',
        'https://evilshop.example',
        'https://shop.example.evil.example',
        'null',
      ];
      for (const origin of otherOrigins) {
        for (const answer of [
          await stage.ask('GET', 'settings', key, undefined, origin),
          await stage.request(key, { to: CUSTOMER }, origin),
          await preflight(`/v1/widget/callbacks?key=${key}`, origin),
        ]) {
          expect(outcome(answer), origin).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
          expect(cors(answer)).to.equal(null);
        }
      }
      expect(outcome(await stage.request(key, { to: CUSTOMER }, null))).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
      const { data } =
        (await stage.callbacks.api.request('GET', '/v1/callbacks', { key: stage.callbacks.liveKey })).body ?? {};
      expect(data).to.deep.equal([]);
    });

    it('of the platform itself, is allowed, with or without an Origin header', async () => {
      const { key } = await stage.widget({ allowed_origins: [] });
      const { url } = stage.callbacks.api;
      expect((await stage.ask('GET', 'settings', key, undefined, null)).status).to.equal(200);
      expect((await stage.ask('GET', 'settings', key, undefined, url)).status).to.equal(200);
      expect((await stage.request(key, { to: CUSTOMER }, url)).status).to.equal(202);
    });

    it('that is allowed, can read the error of a rejected request', async () => {
      const { key } = await stage.widget();
      const answer = await stage.request(key, { to: '12' });
      expect(outcome(answer)).to.equal('400 INVALID_PHONE_NUMBER');
      expect(cors(answer)).to.equal(PAGE);
      expect(answer.headers.get('access-control-expose-headers')).to.contain('Retry-After');
    });
  });
});

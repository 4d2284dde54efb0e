import { expect } from 'chai';
import { stageOnce } from '../../support/each.js';
import { TemplateStage, type Tenant } from '../../support/stages/messaging/template-stage.js';

const SHIPPED = {
  channel: 'sms',
  name: 'order_shipped',
  language: 'ar',
  category: 'UTILITY',
  body: 'طلبك رقم {{1}} في الطريق، ويصل {{2}}.',
  variables: ['4711', 'اليوم'],
} as const;
const SMS = '/messages/templates/order_shipped?channel=sms&language=ar';

describe('message templates', function () {
  this.timeout(60_000);
  let stage: TemplateStage;
  let tenant: Tenant;
  stageOnce(
    (database) => TemplateStage.start(database),
    (made) => (stage = made),
  );
  beforeEach(async () => {
    tenant = await stage.tenant();
    stage.configured.clear();
  });

  it('of SMS are pending, then approved without a provider, and pending again after a change', async () => {
    const { live, projectId } = tenant;
    const made = await stage.good(live, 'POST', '/messages/templates', SHIPPED);
    expect(made).to.deep.include({
      ...SHIPPED,
      ...{ status: 'pending', providerId: null, templateId: null, header: null, footer: null, buttons: [] },
      ...{ otpButton: false, rejection_reason: null, sandbox: false },
    });
    await stage.approval.run();
    const approved = await stage.good(live, 'GET', SMS);
    expect(approved).to.deep.include({ ...SHIPPED, status: 'approved' });

    const replaced = await stage.good(live, 'PUT', SMS, {
      body: 'وصل طلبك {{1}}.',
      variables: ['4711'],
      templateId: 'x',
    });
    expect(replaced).to.deep.equal({
      ...{ name: 'order_shipped', language: 'ar', status: 'pending', category: 'UTILITY', providerId: null },
    });
    expect(await stage.good(live, 'GET', SMS)).to.deep.include({ body: 'وصل طلبك {{1}}.', templateId: 'x' });
    await stage.approval.run();
    expect(await stage.good(live, 'GET', SMS)).to.include({ status: 'approved' });
    const events = await stage.events(projectId, 'template.updated');
    expect(events.map(({ status, name, sandbox }) => [status, name, sandbox])).to.deep.equal([
      ['approved', 'order_shipped', false],
      ['pending', 'order_shipped', false],
      ['approved', 'order_shipped', false],
    ]);
  });

  it('exist once in each language, and are listed newest first', async () => {
    const { live } = tenant;
    await stage.good(live, 'POST', '/messages/templates', SHIPPED);
    expect(await stage.refused(live, 'POST', '/messages/templates', SHIPPED)).to.equal('400 VALIDATION_ERROR name');
    const english = { ...SHIPPED, language: 'en', body: 'Order {{1}} arrives {{2}}.' };
    await stage.good(live, 'POST', '/messages/templates', english);
    await stage.good(live, 'POST', '/messages/templates?channel=email', {
      ...{ name: 'receipt', language: 'en', category: 'UTILITY', header: 'Your order {{1}}', body: 'Thank you.' },
      variables: ['4711'],
    });
    const page = await stage.good(live, 'GET', '/messages/templates?limit=2');
    expect(namesIn(page)).to.deep.equal(['receipt en', 'order_shipped en']);
    const next = await stage.good(live, 'GET', `/messages/templates?limit=2&cursor=${String(page.next_cursor)}`);
    expect(namesIn(next)).to.deep.equal(['order_shipped ar']);
    expect(namesIn(await stage.good(live, 'GET', '/messages/templates?channel=sms&language=en'))).to.have.length(1);
    expect(namesIn(await stage.good(live, 'GET', '/messages/templates?status=approved'))).to.deep.equal([]);

    await stage.good(live, 'DELETE', '/messages/templates?name=order_shipped&channel=sms&language=ar');
    expect(await stage.refused(live, 'GET', SMS)).to.equal('404 NOT_FOUND');
    await stage.good(live, 'DELETE', '/messages/templates?name=order_shipped&channel=sms');
    expect(namesIn(await stage.good(live, 'GET', '/messages/templates'))).to.deep.equal(['receipt en']);
    const again = '/messages/templates?name=order_shipped&channel=sms';
    expect(await stage.refused(live, 'DELETE', again)).to.equal('404 NOT_FOUND');
  });

  it('are refused with what is wrong in them', async () => {
    const { live } = tenant;
    const refusals: readonly (readonly [object, string])[] = [
      [{ body: '' }, 'body'],
      [{ body: 'x'.repeat(1025) }, 'body'],
      [{ body: 'Hello {{name}}', variables: ['Reem'] }, 'body'],
      [{ body: 'Hello {{2}}', variables: ['Reem'] }, 'body'],
      [{ variables: ['4711'] }, 'variables'],
      [{ footer: 'Reply {{1}}' }, 'footer'],
      [{ header: 'x'.repeat(61) }, 'header'],
      [{ language: 'a' }, 'language'],
      [{ category: 'OTHER' }, 'category'],
      [{ templateId: 'x'.repeat(129) }, 'templateId'],
      [{ buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }] }, 'buttons'],
      [{ otpButton: true }, 'otpButton'],
      [{ channel: 'email' }, 'header'],
      [{ color: 'red' }, 'color'],
    ];
    for (const [change, path] of refusals) {
      const refused = await stage.refused(live, 'POST', '/messages/templates', { ...SHIPPED, ...change });
      expect(refused, JSON.stringify(change)).to.equal(`400 VALIDATION_ERROR ${path}`);
    }
    await stage.good(live, 'POST', '/messages/templates', SHIPPED);
    const same = { body: SHIPPED.body, variables: SHIPPED.variables };
    expect(await stage.refused(live, 'PUT', SMS, { ...same, language: 'en' })).to.equal(
      '400 VALIDATION_ERROR language',
    );
    expect(await stage.refused(live, 'PUT', SMS, { ...same, name: 'other' })).to.equal('400 VALIDATION_ERROR name');
    expect(await stage.refused(live, 'PUT', SMS, {})).to.equal('400 VALIDATION_ERROR body');
    const path = '/messages/templates/order_shipped?channel=sms';
    expect(await stage.refused(live, 'GET', path)).to.equal('400 VALIDATION_ERROR language');
    expect(await stage.refused(live, 'GET', `${path}&language=fr`)).to.equal('404 NOT_FOUND');
    expect(await stage.events(tenant.projectId, 'template.updated')).to.deep.equal([]);
  });

  it('are checked in the order feature, scope, body, chat application, verb, provider, existence', async () => {
    const chat = '/messages/templates/welcome?language=ar';
    const content = { body: 'مرحبًا بك.' };
    const off = await stage.tenant({ messages: false, chatapp: true });
    expect(await stage.refused(off.live, 'GET', chat)).to.equal('503 MESSAGES_DISABLED');

    const { projectId } = tenant;
    const reader = (await stage.api.key({ projectId, scopes: ['messages:read'] })).key;
    expect(await stage.refused(reader, 'PUT', chat, {})).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await stage.refused(tenant.live, 'PUT', chat, {})).to.equal('400 VALIDATION_ERROR body');
    expect(await stage.refused(tenant.live, 'PUT', chat, content)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await stage.refused(tenant.live, 'GET', chat)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    const webchat = '/messages/templates/welcome?language=ar&channel=webchat';
    for (const [method, json] of [['GET'], ['PUT', content]] as const)
      expect(await stage.refused(tenant.live, method, webchat, json)).to.equal('422 CHANNEL_VERB_UNSUPPORTED');

    const enabled = await stage.tenant({ chatapp: true });
    expect(await stage.refused(enabled.live, 'GET', chat)).to.equal('422 CHANNEL_NOT_CONFIGURED');
    stage.configured.add('chatapp');
    expect(await stage.refused(enabled.live, 'GET', chat)).to.equal('404 NOT_FOUND');
    expect(await stage.refused(enabled.live, 'DELETE', '/messages/templates?name=welcome')).to.equal('404 NOT_FOUND');
  });

  it('of the chat application wait for its provider, and have buttons', async () => {
    stage.configured.add('chatapp');
    const { live, sandbox } = await stage.tenant({ chatapp: true });
    const buttons = [
      { type: 'QUICK_REPLY', text: 'نعم' },
      { type: 'URL', text: 'Track', url: 'https://example.com/t' },
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '0112345678' },
    ];
    const welcome = { name: 'welcome', language: 'ar', category: 'MARKETING', body: 'مرحبًا {{1}}', variables: ['ريم'] };
    expect(await stage.refused(live, 'POST', '/messages/templates', { ...welcome, name: 'Welcome!' })).to.equal(
      '400 VALIDATION_ERROR name',
    );
    const made = await stage.good(live, 'POST', '/messages/templates', { ...welcome, buttons });
    expect(made).to.deep.include({
      channel: 'chatapp',
      buttons: [buttons[0], buttons[1], { ...buttons[2], phone_number: '+966112345678' }],
    });
    await stage.good(sandbox, 'POST', '/messages/templates', welcome);
    await stage.approval.run();
    const path = '/messages/templates/welcome?language=ar';
    expect(await stage.good(live, 'GET', path)).to.include({ status: 'pending', sandbox: false });
    expect(await stage.good(sandbox, 'GET', path)).to.include({ status: 'approved', sandbox: true });
    expect(await stage.refused(live, 'PUT', path, { body: 'x', otpButton: true })).to.equal(
      '400 VALIDATION_ERROR otpButton',
    );
  });

  it('have the kind of their key and belong to one project', async () => {
    const { live, sandbox, projectId } = tenant;
    const other = await stage.tenant();
    await stage.good(sandbox, 'POST', '/messages/templates', SHIPPED);
    expect(await stage.good(live, 'GET', SMS)).to.include({ sandbox: true });
    const content = { body: 'Hello' };
    expect(await stage.refused(live, 'PUT', SMS, content)).to.equal('404 NOT_FOUND');
    await stage.good(live, 'POST', '/messages/templates', SHIPPED);
    expect(await stage.good(live, 'GET', SMS)).to.include({ sandbox: false });
    await stage.good(sandbox, 'PUT', SMS, content);
    expect(await stage.good(live, 'GET', SMS)).to.include({ body: SHIPPED.body });
    expect(namesIn(await stage.good(live, 'GET', '/messages/templates'))).to.have.length(2);
    expect(namesIn(await stage.good(sandbox, 'GET', '/messages/templates'))).to.have.length(1);
    const events = await stage.events(projectId, 'template.updated');
    expect(events.map((data) => data.sandbox)).to.deep.equal([true]);

    for (const [method, json] of [['GET'], ['PUT', content]] as const)
      expect(await stage.refused(other.live, method, SMS, json)).to.equal('404 NOT_FOUND');
    const gone = '/messages/templates?name=order_shipped&channel=sms';
    expect(await stage.refused(other.live, 'DELETE', gone)).to.equal('404 NOT_FOUND');
    expect(namesIn(await stage.good(other.live, 'GET', '/messages/templates'))).to.deep.equal([]);
    await stage.good(sandbox, 'DELETE', gone);
    expect(await stage.good(live, 'GET', SMS)).to.include({ sandbox: false });
  });
});

function namesIn({ data }: Record<string, unknown>): string[] {
  return (data as { name: string; language: string }[]).map(({ name, language }) => `${name} ${language}`);
}

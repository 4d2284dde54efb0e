import { expect } from 'chai';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { BroadcastDesk } from '../../support/stages/messaging/broadcasts.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

const BROWSER = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36';

describe('tracked links of broadcasts', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: MessageStage;
  let writer: Writer;
  let desk: BroadcastDesk;

  before(async () => {
    database = await testDatabase();
    stage = await MessageStage.start(database, { SHORT_LINK_URL: 'https://hatif.link' });
    writer = await stage.writer();
    desk = new BroadcastDesk(stage, writer.live);
  });
  after(async () => {
    await stage.close();
    await database.close();
  });

  const texts = (): string[] => stage.smsc.submitted.map(({ body }) => body.toString('latin1'));
  const links = async (id: string) => (await stage.good(writer.live, 'GET', `/broadcasts/${id}/links`)).data;

  it('have codes for each recipient, and are counted by address', async () => {
    const template = await desk.template(
      'offer',
      'See https://shop.example.com/{{1}} and https://shop.example.com/all.',
    );
    const variables = [{ field: 'custom.page' }];
    const lines = ['phone,custom.page', '+966501230001,a', '+966501230002,a'];
    const id = await desk.withFile({ template: { ...template, variables }, track_links: true }, lines);
    expect(await desk.get(id)).to.include({ track_links: true });
    await desk.step(id, 'start');
    await desk.reaches(id, 'completed');
    const codes = texts().flatMap((text) =>
      [...text.matchAll(/https:\/\/hatif\.link(\/l\/\w{10})/g)].map(([, path]) => path!),
    );
    expect(new Set(codes).size).to.equal(4);
    for (const path of [codes[0]!, codes[0]!])
      await fetch(stage.api.url + path, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
    const row = { variant: 'A', messages: 2 };
    expect(await links(id)).to.deep.equal([
      { ...row, url: 'https://shop.example.com/a', clicked: 1, clicks: 2 },
      { ...row, url: 'https://shop.example.com/all', clicked: 0, clicks: 0 },
    ]);
    const stranger = await stage.writer(['OTHER']);
    expect(await stage.refused(stranger.live, 'GET', `/broadcasts/${id}/links`)).to.equal('404 NOT_FOUND');
  });

  it('skip a recipient with too many, and stay as they are if nobody asks', async () => {
    const template = await desk.template('many', '{{1}}');
    const many = Array.from({ length: 11 }, (_, index) => `https://a.example/${index}`).join(' ');
    const body = { template: { ...template, variables: [{ value: many }] } };
    const tracked = await desk.withFile({ ...body, track_links: true }, ['phone', '+966501230003']);
    await desk.step(tracked, 'start');
    expect((await desk.reaches(tracked, 'completed')).skips).to.deep.equal([{ reason: 'refused', count: 1 }]);
    const plain = await desk.withFile(body, ['phone', '+966501230004']);
    await desk.step(plain, 'start');
    await desk.reaches(plain, 'completed');
    expect(texts().join('')).to.include('https://a.example/10');
    expect(await links(plain)).to.deep.equal([]);
  });
});

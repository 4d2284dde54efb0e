import { expect } from 'chai';
import { codeOf, END, flowEach, graph, MENU, type Flow, type FlowStage } from '../../support/stages/flow-stage.js';

describe('The API of call flows', function () {
  this.timeout(60_000);
  let stage: FlowStage;
  flowEach((made) => (stage = made));

  it('can be switched off by flags: all flows, or graphs only', async () => {
    const off = async (flag: string): Promise<string> => {
      const made = await stage.api.owner({ [flag]: false });
      return (await stage.api.key({ projectId: made.projectId })).key;
    };
    const [none, menus] = [await off('callflows'), await off('graph_callflows')];
    expect(await codeOf(stage.request('GET', '/callflows', undefined, none))).to.equal('503 IVR_DISABLED');
    expect(await codeOf(stage.request('POST', '/callflows', graph({ end: END }), menus))).to.equal('503 IVR_DISABLED');
    await stage.make(MENU, menus);
  });

  describe('separates flows', () => {
    it('of different projects', async () => {
      const { id } = await stage.make();
      const stranger = (await stage.api.key({ projectId: (await stage.api.owner()).projectId })).key;
      for (const [method, path, json] of [
        ['GET', '', undefined],
        ['PUT', '', { ...MENU, version: 1 }],
        ['DELETE', '', undefined],
        ['POST', '/activate', undefined],
        ['POST', '/deactivate', undefined],
        ['GET', '/versions', undefined],
        ['POST', '/simulate', {}],
      ] as const) {
        expect(
          await codeOf(stage.request(method, `/callflows/${id}${path}`, json, stranger)),
          `${method} ${path}`,
        ).to.equal('404 NOT_FOUND');
      }
      expect((await stage.good('GET', '/callflows', undefined, stranger)).data).to.deep.equal([]);
    });

    it('of the sandbox from production flows', async () => {
      const live = await stage.make();
      expect(
        await codeOf(stage.request('PUT', `/callflows/${live.id}`, { ...MENU, version: 1 }, stage.sandboxKey)),
      ).to.equal('404 NOT_FOUND');
      const own = await stage.make(graph({ end: END }), stage.sandboxKey);
      const { data } = await stage.good('GET', '/callflows', undefined, stage.sandboxKey);
      expect((data as Flow[]).map(({ id }) => id)).to.deep.equal([own.id]);
      await stage.withEngine('simulator');
      expect((await stage.good('POST', `/callflows/${own.id}/activate`, undefined, stage.sandboxKey)).status).to.equal(
        'active',
      );
      // A live flow cannot depend on a flow that a sandbox key can change.
      await stage.withEngine();
      const dependent = await stage.make(graph({ a: { type: 'subflow', callflow_id: own.id, next: 'end' }, end: END }));
      expect(await codeOf(stage.request('POST', `/callflows/${dependent.id}/activate`))).to.equal(
        '400 VALIDATION_ERROR definition.nodes.a.callflow_id',
      );
    });

    it('of the sandbox, which a live key reads and does not change', async () => {
      const { id } = await stage.make(MENU, stage.sandboxKey);
      for (const [method, path, json] of [
        ['PUT', '', { ...MENU, version: 1 }],
        ['POST', '/activate', undefined],
        ['POST', '/deactivate', undefined],
        ['DELETE', '', undefined],
      ] as const) {
        expect(await codeOf(stage.request(method, `/callflows/${id}${path}`, json)), path).to.equal('404 NOT_FOUND');
      }
      expect((await stage.good('GET', `/callflows/${id}`)).version).to.equal(1);
      await stage.good('POST', `/callflows/${id}/simulate`, {});
    });

    it('by scope', async () => {
      const reader = (await stage.api.key({ projectId: stage.owner.projectId, scopes: ['callflows:read'] })).key;
      const { id } = await stage.make();
      await stage.good('GET', `/callflows/${id}`, undefined, reader);
      await stage.good('POST', `/callflows/${id}/simulate`, {}, reader);
      expect(await codeOf(stage.request('POST', '/callflows', MENU, reader))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });
  });
});

import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { codeOf, END, flowEach, graph, type FlowStage } from '../../support/stages/flow-stage.js';

describe('The API of call flows', function () {
  this.timeout(60_000);
  let stage: FlowStage;
  flowEach((made) => (stage = made));

  describe('activation', () => {
    beforeEach(() => stage.withEngine());

    it('reports every fault with its node and changes nothing', async () => {
      const { id } = await stage.make(
        graph({
          a: { type: 'play', audio_id: newId(), next: 'b' },
          b: { type: 'queue', queue_id: newId(), next: 'nowhere' },
          c: { type: 'subflow', callflow_id: newId(), next: 'c' },
        }),
      );
      const answer = await stage.request('POST', `/callflows/${id}/activate`);
      expect(answer.status).to.equal(400);
      const details = answer.body?.details as { path: string; message: string; message_ar: string }[];
      expect(details.map(({ path }) => path)).to.deep.equal([
        'definition.nodes.a.audio_id',
        'definition.nodes.b.next',
        'definition.nodes.b.queue_id',
        'definition.nodes.c',
        'definition.nodes.c',
        'definition.nodes.c.callflow_id',
      ]);
      for (const { message, message_ar } of details) {
        expect(message).to.match(/node [abc] /);
        expect(message_ar).to.match(/[\u0600-\u06ff]/);
      }
      expect((await stage.good('GET', `/callflows/${id}`)).status).to.equal('draft');
    });

    it('makes the flow active and synthesizes its fixed texts; deactivation reverts it', async () => {
      const { id } = await stage.make(
        graph({
          a: { type: 'say', text: 'Same for all', next: 'b' },
          b: { type: 'say', text: 'Only for {{caller_number}}', next: 'end' },
          end: END,
        }),
      );
      expect((await stage.good('POST', `/callflows/${id}/activate`)).status).to.equal('active');
      expect(stage.spoken).to.deep.equal(['Same for all']);
      expect((await stage.good('POST', `/callflows/${id}/activate`)).status).to.equal('active');
      expect((await stage.good('POST', `/callflows/${id}/deactivate`)).status).to.equal('inactive');
      expect((await stage.good('POST', `/callflows/${id}/deactivate`)).status).to.equal('inactive');
    });

    it('checks every later version as well', async () => {
      const { id } = await stage.make(graph({ end: END }));
      await stage.good('POST', `/callflows/${id}/activate`);
      const bad = { ...graph({ a: { type: 'say', text: 'x', next: 'gone' } }), version: 1 };
      expect(await codeOf(stage.request('PUT', `/callflows/${id}`, bad))).to.equal(
        '400 VALIDATION_ERROR definition.nodes.a.next',
      );
      const right = { ...graph({ a: { type: 'say', text: 'x', next: 'end' }, end: END }), version: 1 };
      expect(await stage.good('PUT', `/callflows/${id}`, right)).to.include({ version: 2, status: 'active' });
    });

    it('checks the flows that a flow calls', async () => {
      const inner = await stage.make(graph({ end: END }));
      const outer = await stage.make(graph({ a: { type: 'subflow', callflow_id: inner.id, next: 'end' }, end: END }));
      const inactive = await stage.request('POST', `/callflows/${outer.id}/activate`);
      expect(inactive.body?.message).to.contain('not active');
      await stage.good('POST', `/callflows/${inner.id}/activate`);
      await stage.good('POST', `/callflows/${outer.id}/activate`);
      const back = { ...graph({ a: { type: 'subflow', callflow_id: outer.id, next: 'end' }, end: END }), version: 1 };
      const cycle = await stage.request('PUT', `/callflows/${inner.id}`, back);
      expect(cycle.status).to.equal(400);
      expect(cycle.body?.message).to.contain('come back to this one');
      expect(await codeOf(stage.request('DELETE', `/callflows/${inner.id}`))).to.equal('400 VALIDATION_ERROR id');
    });
  });

  it('refuses activation if no engine can run the flow', async () => {
    const { id } = await stage.make(graph({ end: END }));
    expect(await codeOf(stage.request('POST', `/callflows/${id}/activate`))).to.equal('404 CALLFLOW_TENANT_NOT_FOUND');
  });
});

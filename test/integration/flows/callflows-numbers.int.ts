import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { codeOf, flowEach, MENU, type FlowStage } from '../../support/stages/flow-stage.js';

describe('The API of call flows', function () {
  this.timeout(60_000);
  let stage: FlowStage;
  flowEach((made) => (stage = made));

  describe('a number', () => {
    const bind = (id: string, json: object, as?: string): Promise<Answer> =>
      stage.request('PUT', `/numbers/${id}/binding`, json, as);

    it('can be bound to a flow, which lists it and cannot be deleted meanwhile', async () => {
      const { id } = await stage.make();
      const line = await stage.number();
      const bound = await bind(line.id, { type: 'callflow', target: id });
      expect(bound.body).to.deep.include({ e164: line.e164, binding: { type: 'callflow', target: id } });
      expect((await stage.good('GET', `/callflows/${id}`)).bound_numbers).to.deep.equal([line.e164]);
      const refused = await stage.request('DELETE', `/callflows/${id}`);
      expect(refused.status).to.equal(400);
      expect(refused.body?.message).to.contain(line.e164);
      expect((await bind(line.id, { type: 'none' })).body?.binding).to.equal(null);
      await stage.good('DELETE', `/callflows/${id}`);
    });

    it('can be bound to every other destination', async () => {
      const line = await stage.number();
      const other = await stage.number();
      for (const binding of [
        { type: 'number', target: '+966501234567' },
        { type: 'sip', target: 'sip:a@example.com' },
        { type: 'voicemail', target: null },
        { type: 'voicemail', target: other.e164 },
        { type: 'echo', target: null },
      ]) {
        const answer = await bind(line.id, binding);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body?.binding).to.deep.equal(binding);
      }
    });

    it('cannot be bound to an unknown target', async () => {
      const line = await stage.number();
      for (const [json, code] of [
        [{ type: 'callflow', target: newId() }, '400 VALIDATION_ERROR target'],
        [{ type: 'queue', target: newId() }, '400 VALIDATION_ERROR target'],
        [{ type: 'agent', target: '4711' }, '400 VALIDATION_ERROR target'],
        [{ type: 'voicemail', target: '+966115559999' }, '400 VALIDATION_ERROR target'],
        [{ type: 'number', target: 'x' }, '400 INVALID_PHONE_NUMBER target'],
        [{ type: 'none', target: 'x' }, '400 VALIDATION_ERROR target'],
        [{ type: 'hangup' }, '400 VALIDATION_ERROR type'],
      ] as const) {
        expect(await codeOf(bind(line.id, json)), JSON.stringify(json)).to.equal(code);
      }
    });

    it('cannot be bound if it is unknown, of another project, or of production for a sandbox key', async () => {
      const { id } = await stage.number(await stage.api.owner());
      const json = { type: 'echo' };
      expect(await codeOf(bind(id, json))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(bind(newId(), json))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(bind((await stage.number()).id, json, stage.sandboxKey))).to.equal('404 NUMBER_NOT_FOUND');
    });

    it('cannot be bound to a flow that sandbox keys change', async () => {
      const flow = await stage.make(MENU, stage.sandboxKey);
      const line = await stage.number();
      expect(await codeOf(bind(line.id, { type: 'callflow', target: flow.id }))).to.equal(
        '400 VALIDATION_ERROR target',
      );
    });

    it('cannot be bound to a flow of another project', async () => {
      const other = await stage.api.owner();
      const foreign = await stage.make(MENU, (await stage.api.key({ projectId: other.projectId })).key);
      const line = await stage.number();
      expect(await codeOf(bind(line.id, { type: 'callflow', target: foreign.id }))).to.equal(
        '400 VALIDATION_ERROR target',
      );
    });
  });
});

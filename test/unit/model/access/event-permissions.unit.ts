import { expect } from 'chai';
import { eventTypesFor } from '../../../../core/model/events/permissions.js';
import { PERMISSIONS, permissionsOf } from '../../../../core/model/access/roles.js';
import { EVENT_TYPES } from '../../../../core/model/events/index.js';

const familiesOf = (types: Iterable<string>) => [...new Set([...types].map((type) => type.split('.')[0]))].sort();

describe('Events that members see', () => {
  it('are all of them with every permission, and none without any', () => {
    expect([...eventTypesFor(new Set(PERMISSIONS))]).to.deep.equal([...EVENT_TYPES]);
    expect([...eventTypesFor(new Set())]).to.deep.equal([]);
  });

  it('are about money only for those who may read money', () => {
    const money = ['credit_note', 'fraud', 'invoice', 'payment'];
    expect(familiesOf(eventTypesFor(permissionsOf('finance')))).to.deep.equal([...money, 'usage'].sort());
    for (const role of ['developer', 'supervisor', 'agent', 'viewer'] as const) {
      const seen = familiesOf(eventTypesFor(permissionsOf(role)));
      expect(
        seen.filter((family) => money.includes(family ?? '')),
        role,
      ).to.deep.equal([]);
    }
  });

  it('tell a viewer of calls, but not of their recordings and of voicemail', () => {
    const types = eventTypesFor(permissionsOf('viewer'));
    expect(types.has('call.ended')).to.equal(true);
    for (const type of ['call.recording_ready', 'call.transcribed', 'voicemail.received'] as const) {
      expect(types.has(type), type).to.equal(false);
    }
  });
});

import { expect } from 'chai';
import type { ConferenceRow, ParticipantRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { ConferenceState } from '../../../core/services/call-state/conference-state.js';

const AT = new Date('2026-01-31T09:00:00.000Z');
const LATER = new Date('2026-01-31T09:05:00.000Z');

const row = (changes: Partial<ConferenceRow> = {}): ConferenceRow => ({
  id: newId(),
  organization_id: newId(),
  project_id: newId(),
  engine_id: newId(),
  sandbox: false,
  name: 'talk',
  max_participants: 3,
  created_at: AT,
  ended_at: null,
  emptied_at: null,
  ...changes,
});

const participant = (changes: Partial<ParticipantRow> = {}): ParticipantRow => ({
  id: newId(),
  conference_id: newId(),
  call_id: newId(),
  leg_id: newId(),
  leg: 'customer',
  start_on_enter: true,
  end_on_exit: false,
  beep: false,
  requested_by: null,
  request_id: 'request',
  joined_at: AT,
  left_at: null,
  ...changes,
});

describe('a conference', () => {
  it('has a limited number of participants, and admits a group completely or not at all', () => {
    const conference = new ConferenceState(row());
    const [one, two, three, four] = [participant(), participant(), participant(), participant()];
    expect(conference.admit([one, two])).to.equal(true);
    expect(conference.admit([three, four])).to.equal(false);
    expect(conference.isIn(three.leg_id)).to.equal(false);
    expect(conference.admit([three])).to.equal(true);
    expect(conference.admit([four])).to.equal(false);
    conference.leave(one.leg_id, LATER, true);
    expect(conference.admit([four])).to.equal(true);
    expect(conference.present.map(({ id }) => id)).to.deep.equal([two.id, three.id, four.id]);
  });

  it('starts with the first starting participant, and continues without', () => {
    const conference = new ConferenceState(row());
    const [waiting, starting] = [participant({ start_on_enter: false }), participant()];
    conference.admit([waiting]);
    expect(conference.isStarted).to.equal(false);
    conference.admit([starting]);
    expect(conference.isStarted).to.equal(true);
    conference.leave(starting.leg_id, LATER, true);
    expect(conference.isStarted).to.equal(true);
  });

  it('is over when the last participant leaves, which is reported once', () => {
    const conference = new ConferenceState(row());
    const [one, two] = [participant(), participant()];
    conference.admit([one, two]);
    expect(conference.leave(one.leg_id, AT, true)).to.deep.equal({
      participant: { ...one, left_at: AT },
      isLast: false,
    });
    expect(conference.leave(one.leg_id, LATER, true)).to.equal(null);
    expect(conference.leave(newId(), LATER, true)).to.equal(null);
    expect(conference.leave(two.leg_id, LATER, true)?.isLast).to.equal(true);
    expect(conference.row).to.deep.include({ ended_at: LATER, emptied_at: LATER });
    // The owner process died after it stored the end, but before it stored that the first participant left.
    const again = new ConferenceState(conference.row, [one]);
    expect(again.leave(one.leg_id, LATER, true)?.isLast).to.equal(false);
  });

  it('ends for all when an end_on_exit participant leaves, unless that exit does not count', () => {
    const conference = new ConferenceState(row());
    const [one, two, three] = [participant({ end_on_exit: true }), participant({ end_on_exit: true }), participant()];
    conference.admit([one, two, three]);
    conference.leave(one.leg_id, AT, false);
    expect(conference.isOpen).to.equal(true);
    conference.leave(two.leg_id, AT, true);
    expect(conference.isOpen).to.equal(false);
    expect(conference.row).to.deep.include({ ended_at: AT, emptied_at: null });
    conference.close(LATER);
    conference.leave(three.leg_id, LATER, true);
    expect(conference.row).to.deep.include({ ended_at: AT, emptied_at: LATER });
  });

  it('reports its creation once, and not after adoption', () => {
    const conference = new ConferenceState(row());
    expect(conference.isUnused).to.equal(true);
    expect([conference.takeCreation(), conference.takeCreation()]).to.deep.equal([true, false]);
    const adopted = new ConferenceState(row(), [participant()]);
    expect(adopted.takeCreation()).to.equal(false);
    expect(adopted.isUnused).to.equal(false);
  });
});

import { expect } from 'chai';
import type { AgentRow, NumberRow } from '../../../core/data/rows.js';
import type { Destination } from '../../../core/model/call/destinations.js';
import { NO_FORWARDING, type CallForwarding, type Diversion } from '../../../core/model/call/forwarding.js';
import type { ForwardStep } from '../../../core/services/call-state/program.js';
import { AgentForwarding } from '../../../core/services/live-calls/routing/forwarding.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';

const MOBILE = '+966501234567';
const LINE = '+966112345678';
const CALLER = '+966559876543';
const RINGS = 45;

const agent = (target: string): { type: 'agent'; target: string } => ({ type: 'agent', target });
const mobile = { type: 'number', target: MOBILE } as const;
const voicemail = { type: 'voicemail', target: null } as const;

interface World {
  readonly agents: Readonly<Record<string, Partial<CallForwarding>>>;
  /** Agents who block the caller by their own list. */
  readonly blocking?: readonly string[];
  /** Agents who have just called an emergency number. */
  readonly inDistress?: readonly string[];
  /** Numbers whose boxes are on; each agent `n` has the number `+n`. */
  readonly boxes?: readonly string[];
}

function forwardingIn({ agents, blocking = [], inDistress = [], boxes = [] }: World): AgentForwarding {
  const row = (name: string): AgentRow | null => {
    const forwarding = agents[name];
    if (!forwarding) return null;
    const set = { ...NO_FORWARDING, ...forwarding };
    return { project_id: 'p', agent: name, caller_id_number: null, forwarding: set } as AgentRow;
  };
  return new AgentForwarding({
    directory: {
      agentByExtension: (_, name) => Promise.resolve(row(name)),
      numberOfAgent: (_, name) => Promise.resolve({ e164: `+${name}` } as NumberRow),
      project: () => Promise.resolve(null),
      blockOf: (_, name) => Promise.resolve(blocking.includes(String(name)) ? { id: 'entry', of: 'agent' } : null),
    },
    // The number `+n` rings the agent n.
    routing: {
      routeTo: (_, to) => {
        const extension = (to as { target: string }).target.slice(1);
        const endpoint = { type: 'inside', number: '+1' } as const;
        return Promise.resolve({ endpoint, number: null, billable: false, agent: row(extension)?.agent ?? null });
      },
    },
    onward: {
      to: (_, { target }) =>
        Promise.resolve(boxes.includes(String(target)) ? { type: 'voicemail', numberId: String(target) } : null),
    },
    calls: { hasCalled: (_, name) => Promise.resolve(inDistress.includes(String(name))) },
    emergency: new Set(['911']),
    clock: new VirtualClock(new Date()),
  });
}

const call = { project_id: 'p', customer_number: CALLER, line_number: LINE, isFromOutside: true };

/** A short form of a step: what is dialled after which forwards, and for how long; or why not. */
function brief(step: ForwardStep | null): string {
  const passed = (through: readonly Diversion[]): string =>
    through.map(({ agent: name, case: when }) => `${name} ${when} > `).join('');
  switch (step?.type) {
    case undefined:
      return 'over';
    case 'dial': {
      const { to, through } = step.path;
      return `${passed(through)}${String(to.target)} for ${step.ringSeconds}`;
    }
    case 'continue':
      return `${passed(step.through)}${step.spec.type} of ${(step.spec as { numberId: string }).numberId}`;
    case 'refused':
      return `${step.reason} ${step.q850}`;
  }
}

describe('a direct call for an agent', () => {
  const before = async (world: World, to: Destination = agent('a'), of: Partial<typeof call> = {}): Promise<string> =>
    brief(await forwardingIn(world).before({ ...call, ...of }, { to, through: [] }, RINGS));
  const chain = (length: number): World['agents'] =>
    Object.fromEntries(Array.from({ length }, (_, n) => [`n${n}`, { always: agent(`n${n + 1}`) }]));

  it('is refused if the list of the agent blocks the caller, unless it comes from inside or from an emergency centre', async () => {
    const world = { agents: { a: { always: mobile }, b: {}, c: { always: agent('b') } }, blocking: ['a', 'b'] };
    expect(await before(world)).to.equal('caller_blocked 21');
    expect(await before(world, agent('c')), 'forwarded to an agent who blocks').to.equal('caller_blocked 21');
    expect(await before(world, agent('b'), { isFromOutside: false })).to.equal('b for 45');
    expect(await before(world, agent('b'), { customer_number: '911' })).to.equal('b for 45');
    expect(await before({ ...world, inDistress: ['b'] }, agent('b'))).to.equal('b for 45');
  });

  for (const [what, world, expected] of [
    ['rings the phone', { agents: { a: {} } }, 'a for 45'],
    ['rings the phone as long as the agent wants', { agents: { a: { no_answer: mobile } } }, 'a for 20'],
    ['is forwarded always', { agents: { a: { always: mobile, busy: agent('b') } } }, `a always > ${MOBILE} for 45`],
    [
      'is forwarded before do-not-disturb',
      { agents: { a: { always: mobile, do_not_disturb: true } } },
      `a always > ${MOBILE} for 45`,
    ],
    ['finds a busy phone in do-not-disturb', { agents: { a: { do_not_disturb: true } } }, 'do_not_disturb 17'],
    [
      'is forwarded as busy in do-not-disturb',
      { agents: { a: { do_not_disturb: true, busy: agent('b') }, b: {} } },
      'a busy > b for 45',
    ],
    [
      'is forwarded by the next agent, too',
      { agents: { a: { always: agent('b') }, b: { always: mobile } } },
      `a always > b always > ${MOBILE} for 45`,
    ],
    [
      'is forwarded to the agent of a number',
      { agents: { a: { always: { type: 'number', target: '+b' } }, b: { do_not_disturb: true } } },
      'do_not_disturb 17',
    ],
    ['does not come back', { agents: { a: { always: agent('b') }, b: { always: agent('a') } } }, 'loop 25'],
    [
      'does not come back by a number',
      { agents: { a: { always: agent('b') }, b: { always: { type: 'number', target: '+a' } } } },
      'loop 25',
    ],
    [
      'goes to the agent’s own voicemail',
      { agents: { a: { always: voicemail } }, boxes: ['+a'] },
      'a always > voicemail of +a',
    ],
    ['rings if the voicemail is off', { agents: { a: { always: voicemail } } }, 'a for 45'],
    ['rings if the colleague is gone', { agents: { a: { always: agent('b') } } }, 'a for 45'],
    [
      'rings the phone of an agent who called an emergency number',
      { agents: { a: { always: mobile, do_not_disturb: true } }, inDistress: ['a'] },
      'a for 45',
    ],
  ] as const) {
    it(what, async () => expect(await before(world)).to.equal(expected));
  }

  it('of an emergency centre rings the phone', async () => {
    const agents = { a: { always: mobile } };
    expect(await before({ agents }, agent('a'), { customer_number: '911' })).to.equal('a for 45');
  });

  it('is not forwarded to its own caller, nor if it shows the number that it calls', async () => {
    const agents = { a: { always: mobile } };
    expect(await before({ agents }, agent('a'), { customer_number: MOBILE })).to.equal('loop 25');
    expect(await before({ agents }, agent('a'), { customer_number: LINE })).to.equal('loop 25');
  });

  it('is forwarded five times, not six', async () => {
    expect(await before({ agents: { ...chain(5), n5: {} } }, agent('n0'))).to.match(/> n5 for 45$/);
    expect(await before({ agents: { ...chain(6), n6: {} } }, agent('n0'))).to.equal('loop 25');
  });

  describe('that was not reached', () => {
    const after = async (
      agents: World['agents'],
      q850: number,
      {
        hasRung = true,
        ringSeconds = RINGS,
        to = agent('a'),
      }: { hasRung?: boolean; ringSeconds?: number; to?: Destination } = {},
    ): Promise<string> =>
      brief(await forwardingIn({ agents }).after(call, { to, through: [] }, { q850, hasRung }, ringSeconds));
    const set = { a: { busy: agent('b'), no_answer: agent('c'), unregistered: agent('d') }, b: {}, c: {}, d: {} };

    for (const [what, q850, hasRung, expected] of [
      ['busy', 17, true, 'a busy > b for 45'],
      ['declined', 21, true, 'a busy > b for 45'],
      ['unanswered', 19, true, 'a no_answer > c for 45'],
      ['unregistered', 20, false, 'a unregistered > d for 45'],
      ['silent', 19, false, 'a unregistered > d for 45'],
      ['failed', 41, false, 'over'],
    ] as const) {
      it(`goes where the agent forwards calls of a phone that is ${what}`, async () =>
        expect(await after(set, q850, { hasRung })).to.equal(expected));
    }

    it('is over without a forward for the case', async () => {
      expect(await after({ a: { busy: agent('b') }, b: {} }, 19)).to.equal('over');
      expect(await after({ a: { no_answer: agent('b') }, b: {} }, 19, { hasRung: false })).to.match(/b for 45$/);
    });

    it('is over if the caller gave up before the agent’s time', async () => {
      expect(await after(set, 19, { ringSeconds: 10 })).to.equal('over');
      expect(await after(set, 19, { ringSeconds: 20 })).to.equal('a no_answer > c for 20');
    });

    it('is over at a number outside', async () => expect(await after(set, 17, { to: mobile })).to.equal('over'));
  });
});

import fc from 'fast-check';
import { expect } from 'chai';
import { BRANCH_OPERATORS } from '../../../core/model/flow/nodes/branch.js';
import { graphDefinition, type GraphDefinition } from '../../../core/model/flow/definition.js';
import type { FlowNode } from '../../../core/model/flow/node-types.js';
import { MAX_STEPS } from '../../../core/model/flow/parts/limits.js';
import { flowScript, type FlowScript } from '../../../core/model/flow/script.js';
import { faultsOf, simulate } from '../../support/calls/flow-graphs.js';

const KEYS = ['1', '2', '9', '#', '*', '12'];
const VARIABLES = ['a', 'b', 'choice_kept'];

/** A node of any type that can be simulated here, whose links lead to these ids or return. */
function anyNode(ids: readonly string[]): fc.Arbitrary<FlowNode> {
  const to = fc.constantFrom(...ids, 'return');
  const variable = fc.constantFrom(...VARIABLES);
  const text = fc.constantFrom('Hello', '{{a}}', '{{b | money}} {{a | digits}}', '{{choice | time}}{{now | date}}');
  const prompt = text.map((given) => ({ text: given, language: 'en' as const }));
  const question = {
    prompt,
    retries: fc.integer({ min: 0, max: 2 }),
    no_input: to,
    invalid: to,
  };
  const choices = fc.dictionary(fc.constantFrom(...KEYS), to, { minKeys: 1, maxKeys: 4 });
  const condition = fc.constantFrom(...BRANCH_OPERATORS).chain((operator) =>
    fc.record({
      variable,
      operator: fc.constant(operator),
      value:
        operator === 'in'
          ? fc.constant(['1', 'x'])
          : operator === 'is_set' || operator === 'is_empty'
            ? fc.constant(undefined)
            : fc.constantFrom('1', 'x', 5),
      next: to,
    }),
  );
  const type = <T extends string>(name: T): { type: fc.Arbitrary<T> } => ({ type: fc.constant(name) });
  return fc.oneof(
    fc.record({ ...type('say'), text, next: to }),
    fc.record({ ...type('menu'), ...question, choices }),
    fc.record({ ...type('auth_menu'), ...question, choices }),
    fc.record({ ...type('gather'), ...question, variable, max_digits: fc.integer({ min: 1, max: 6 }), next: to }),
    fc.record({ ...type('verify'), next: to, failed: to }),
    fc.record({ ...type('branch'), cases: fc.array(condition, { minLength: 1, maxLength: 3 }), next: to }),
    fc.record({
      ...type('split'),
      branches: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), next: to }), {
        minLength: 2,
        maxLength: 4,
      }),
    }),
    fc.record({
      ...type('hours'),
      hours: fc.constant({ time_zone: 'Asia/Riyadh', week: {}, holidays: [] }),
      open: to,
      closed: to,
    }),
    fc.record({ ...type('set'), values: fc.dictionary(variable, text, { maxKeys: 2 }), next: to }),
    fc.record({
      ...type('http'),
      url: fc.constant('https://crm.example/{{a}}'),
      response: fc.constant({ a: 'x.y', b: 'list[0]' }),
      next: to,
      failed: to,
    }),
    fc.record({
      ...type('dial'),
      to: fc.constant({ type: 'number' as const, target: '0501234567' }),
      next: to,
      after: to,
    }),
    fc.record({ ...type('conference'), name: fc.constant('room {{a}}'), next: to }),
    fc.record({ ...type('record'), action: fc.constantFrom('start' as const, 'stop' as const), next: to }),
    fc.record({
      ...type('transfer'),
      to: fc.constantFrom({ type: 'voicemail' as const }, { type: 'number' as const, target: '{{a}}' }),
    }),
    fc.record({ ...type('goto'), next: to }),
    fc.record({ ...type('hangup') }),
  ) as fc.Arbitrary<FlowNode>;
}

const graphs: fc.Arbitrary<GraphDefinition> = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'), {
    minLength: 1,
    maxLength: 12,
  })
  .chain((ids) =>
    fc.tuple(...ids.map(() => anyNode(ids))).map((nodes) => ({
      start: ids[0] ?? 'a',
      nodes: Object.fromEntries(ids.map((id, index) => [id, nodes[index]])) as GraphDefinition['nodes'],
    })),
  );

const scripts: fc.Arbitrary<FlowScript> = fc.record(
  {
    inputs: fc.array(
      fc.oneof(
        fc.record({ digits: fc.stringMatching(/^[0-9*#]{1,8}$/) }),
        fc.constant({ silence: true as const }),
        fc.constant({ hang_up: true as const }),
      ),
      { maxLength: 40 },
    ),
    hang_up_after: fc.nat({ max: 60 }),
    http: fc.array(
      fc.oneof(
        fc.record({ status: fc.constantFrom(200, 204, 404, 500), body: fc.jsonValue() }),
        fc.constant({ failure: 'timeout' as const }),
      ),
      { maxLength: 5 },
    ),
    dials: fc.array(fc.constantFrom('answered' as const, 'busy' as const, 'failed' as const), { maxLength: 5 }),
    conferences: fc.array(fc.constantFrom('joined' as const, 'refused' as const), { maxLength: 5 }),
    splits: fc.array(fc.nat({ max: 4 }), { maxLength: 5 }),
    verifications: fc.array(fc.record({ sent: fc.boolean(), code: fc.constant('123456') }), { maxLength: 5 }),
    variables: fc.dictionary(fc.constantFrom(...VARIABLES), fc.string({ maxLength: 20 }), { maxKeys: 3 }),
  },
  { requiredKeys: [] },
);

/** Faults that limits and values at run time can cause in a valid flow. */
const RUNTIME_FAULTS = /steps|nothing can be sent|which the node does not have/;

describe('Any call flow with any caller', () => {
  it('ends within the limit of steps and without an internal error', async function () {
    this.timeout(60_000);
    let valid = 0;
    await fc.assert(
      fc.asyncProperty(graphs, scripts, async (given, script) => {
        graphDefinition.parse(given);
        flowScript.parse(script);
        const result = await simulate(given, script);
        expect(result.steps).to.be.at.most(MAX_STEPS);
        if (result.ending === 'fault') expect(result.reason).to.match(RUNTIME_FAULTS);
        if (faultsOf(given).length === 0) valid += 1;
      }),
      { numRuns: 200 },
    );
    expect(valid, 'valid flows among them').to.be.above(8);
  });

  it('cannot run in a loop without input if its check finds no such loop', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(graphs, scripts, async (given, script) => {
        fc.pre(!faultsOf(given).some((fault) => fault.startsWith('loop_without_input')));
        const hasInput = Object.values(given.nodes).some(({ type }) =>
          ['menu', 'auth_menu', 'gather', 'verify'].includes(type),
        );
        fc.pre(!hasInput);
        const result = await simulate(given, script);
        expect(result.steps).to.be.at.most(Object.keys(given.nodes).length);
      }),
      { numRuns: 150 },
    );
  });
});

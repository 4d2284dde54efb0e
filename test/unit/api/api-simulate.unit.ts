import { expect } from 'chai';
import type { Response } from 'express';
import { codesOf, route, simulationsOf } from '../../../api/http/route.js';
import { simulate } from '../../../api/http/simulate.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { THINGS } from '../../support/sample-routes.js';

describe('failures that a sandbox key requests', () => {
  const res = { setHeader: () => undefined } as unknown as Response;
  const code = (work: () => void): string | null => {
    try {
      work();
      return null;
    } catch (error) {
      if (error instanceof HatifError) return error.code as string;
      throw error;
    }
  };

  it('are possible on every route that it may call, and part of the route’s error codes', () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const one = route({ ...THINGS, method });
      expect(simulationsOf(one), method).to.deep.equal(['rate_limit', 'server_error']);
      expect(codesOf(one)).to.include('SANDBOX_SIMULATED_SERVER_ERROR').and.not.include('INSUFFICIENT_CREDITS');
    }
    const more = route({ ...THINGS, method: 'POST', simulates: ['credits'] });
    expect(codesOf(more)).to.include('INSUFFICIENT_CREDITS');
    for (const none of [
      route({ ...THINGS, method: 'POST', keyKind: 'live' }),
      route({ ...THINGS, method: 'POST', keyKind: 'none', scope: null }),
    ]) {
      expect(simulationsOf(none)).to.deep.equal([]);
      expect(codesOf(none)).not.to.include('SANDBOX_SIMULATED_SERVER_ERROR');
    }
  });

  it('occur if the route supports them, are refused if it supports only others, and otherwise have no effect', () => {
    expect(code(() => simulate(res, ['credits'], ' credits '))).to.equal('INSUFFICIENT_CREDITS');
    expect(code(() => simulate(res, ['credits'], 'velocity'))).to.equal('VALIDATION_ERROR');
    expect(code(() => simulate(res, ['credits'], ''))).to.equal('VALIDATION_ERROR');
    expect(code(() => simulate(res, ['credits'], undefined))).to.equal(null);
    expect(code(() => simulate(res, [], 'credits'))).to.equal(null);
  });
});

import { expect } from 'chai';
import express, { type NextFunction, type Request, type Response } from 'express';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Areas } from '../../../api/server/areas.js';

/** Paths of each kind; those that begin with a parameter last, as in the API. */
const PATHS = [
  '/v1/calls',
  '/v1/calls/:id',
  '/v1/calls/:id/mute',
  '/v1/queues/:id',
  '/scim/v2/Users',
  '/v1/:other',
  '/:any',
];

describe('The routes by area', () => {
  let server: Server;
  let url: string;

  before(async () => {
    const app = express();
    const areas = new Areas();
    app.use(areas.handler);
    for (const path of PATHS) {
      areas.of(path).get(path, (req: Request, res: Response) => {
        if (req.params.id === 'fault') throw new Error('thrown by a route');
        res.json({ path, params: req.params, baseUrl: req.baseUrl });
      });
    }
    app.use((req: Request, res: Response) => res.status(404).json({ path: req.path }));
    app.use((error: Error, _req: Request, res: Response, next: NextFunction) => {
      if (res.headersSent) next(error);
      else res.status(500).json({ message: error.message });
    });
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  const get = async (path: string): Promise<[number, unknown]> => {
    const response = await fetch(url + path);
    return [response.status, await response.json()];
  };

  const found: readonly [asked: string, path: string, params: object][] = [
    ['/v1/calls', '/v1/calls', {}],
    ['/v1/calls/?limit=1', '/v1/calls', {}],
    ['/v1/calls/1', '/v1/calls/:id', { id: '1' }],
    ['/v1/calls/1/mute', '/v1/calls/:id/mute', { id: '1' }],
    ['/v1/queues/a%20b', '/v1/queues/:id', { id: 'a b' }],
    ['/scim/v2/Users', '/scim/v2/Users', {}],
    ['/v1/others', '/v1/:other', { other: 'others' }],
    ['/v1/queues', '/v1/:other', { other: 'queues' }],
    ['/one', '/:any', { any: 'one' }],
  ];
  for (const [asked, path, params] of found) {
    it(`finds ${path} for ${asked}`, async () => {
      expect(await get(asked)).to.deep.equal([200, { path, params, baseUrl: '' }]);
    });
  }

  it('passes what no route takes, and what a route throws, to the application', async () => {
    for (const path of ['/v1/calls/1/2/3', '/V1/calls', '/v1/calls//mute', '/'])
      expect(await get(path), path).to.deep.equal([404, { path }]);
    expect(await get('/v1/calls/fault')).to.deep.equal([500, { message: 'thrown by a route' }]);
    expect((await get('/v1/calls/%E0%A4%A'))[0]).to.equal(500);
  });
});

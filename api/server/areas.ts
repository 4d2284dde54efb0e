import express, { type RequestHandler, type Router } from 'express';

/** Segments of a path that decide its area: `/v1/calls`. */
const DEPTH = 2;

/**
 * The routes of the API in one router for each area: paths with the same first two segments. Express tries the routes
 * of a router one after another, so that with one router for all a request would be compared with hundreds of paths.
 */
export class Areas {
  readonly #routers = new Map<string, Router>();
  /** Of paths that have a parameter, or nothing, in their first two segments. */
  readonly #others = areaRouter();

  /** @param path the template of a route @returns the router to which a route of this path is added */
  of(path: string): Router {
    const area = areaOf(path);
    if (area === null || area.includes(':')) return this.#others;
    const known = this.#routers.get(area) ?? areaRouter();
    this.#routers.set(area, known);
    return known;
  }

  /** Passes a request to the router of its area, then to that of the other paths. */
  readonly handler: RequestHandler = (req, res, next) => {
    const router = this.#routers.get(areaOf(req.path) ?? '');
    const others = (error?: unknown): void => {
      if (error === undefined || error === null) this.#others(req, res, next);
      else next(error);
    };
    if (router === undefined) others();
    else router(req, res, others);
  };
}

function areaRouter(): Router {
  return express.Router({ caseSensitive: true });
}

/** `/v1/calls` of `/v1/calls/…`; null for a path of one segment. */
function areaOf(path: string): string | null {
  const segments = path.split('/', DEPTH + 1);
  return segments.length > DEPTH ? segments.join('/') : null;
}

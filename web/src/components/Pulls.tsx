import { useServer } from "../state/server";
import { bytes } from "../sizes";

/** Models that are being downloaded. */
export function Pulls() {
  const pulls = useServer((state) => state.pulls);
  const underWay = Object.values(pulls).filter(({ done, total }) => done < total);
  return underWay.map(({ model, done, total }) => (
    <div key={model} className="pull">
      <label htmlFor={`pull-${model}`}>Downloading {model}</label>
      <progress id={`pull-${model}`} value={done} max={total} />
      <p>
        {bytes(done)} of {bytes(total)}
      </p>
    </div>
  ));
}

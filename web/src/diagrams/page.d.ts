declare module "virtual:diagram-page" {
  const address: string;
  export default address;
}

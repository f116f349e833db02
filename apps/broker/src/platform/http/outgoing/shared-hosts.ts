/**
 * Domains below which anyone can get a host: clouds, tunnels, site builders. Hosts below them are told apart by their whole
 * name. The private part of publicsuffix.org has more; a domain that is missing here counts as one party.
 */
const shared: ReadonlySet<string> = new Set(
  `amazonaws.com amazonaws.com.cn amplifyapp.com awsapprunner.com awsapps.com cloudfront.net elasticbeanstalk.com on.aws
  azure-api.net azurecontainer.io azurecontainerapps.io azureedge.net azurefd.net azurestaticapps.net azurewebsites.net
  cloudapp.azure.com cloudapp.net trafficmanager.net windows.net
  appspot.com cloudfunctions.net firebaseapp.com googleusercontent.com hosted.app run.app translate.goog web.app
  cloudflare.net pages.dev r2.dev trycloudflare.com workers.dev
  aliyuncs.com appdomain.cloud bluemix.net force.com hana.ondemand.com my.salesforce.com my.site.com myqcloud.com
  mybluemix.net ondemand.com oraclecloud.com oraclecloudapps.com scw.cloud
  adaptable.app back4app.io beam.cloud cleverapps.io code.run cyclic.app deno.dev deno.net digitaloceanspaces.com
  edgecompute.app edgeone.app fastly.net fly.dev herokuapp.com kinsta.app koyeb.app
  linodeobjects.com modal.host modal.run netlify.app northflank.app now.sh ondigitalocean.app onrender.com pantheonsite.io
  platformsh.site railway.app run.tools scalingo.io sevalla.app upsun.app val.run vercel.app vercel.dev wasmer.app
  wpengine.com zeabur.app
  bitbucket.io codesandbox.io csb.app github.dev github.io githubpreview.dev gitlab.io gitpod.io glitch.me gradio.live
  hf.space js.org is-a.dev repl.co replit.app replit.dev stackblitz.io streamlit.app surge.sh webcontainer.io
  base44.app bolt.host bubbleapps.io framer.app framer.website lovable.app lovableproject.com mendixcloud.com
  myshopify.com notion.site outsystemscloud.com smithery.ai softr.app square.site super.site webflow.io wixsite.com
  wixstudio.com wordpress.com blogspot.com
  lhr.life loca.lt localtunnel.me ngrok-free.app ngrok-free.dev ngrok.app ngrok.dev ngrok.io serveo.net ts.net
  ddns.net duckdns.org dyndns.org eu.org hopto.org nip.io no-ip.org nom.co pp.ua sslip.io traefik.me xip.io
  zapto.org`.split(/\s+/),
);

/** Whether a host, in lower case, is one of those domains or below it. */
export function isSharedHost(host: string): boolean {
  const labels = host.split('.');
  return labels.some((_label, from) => shared.has(labels.slice(from).join('.')));
}
